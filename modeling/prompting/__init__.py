"""Few-shot prompting. Loads no PyTorch: local models, encoders and BERTScore are asked for in
`modeling/training/`."""
