"""Kill -9 of everything, at random, while people work: what was acknowledged must be there.

`python -m tests.chaos --faults 100 --seed 7` (or `make chaos`) brings up a whole site on services
of its own (site.py), lets workers (workers.py) and a researcher (researcher.py) use it over HTTP
and by commands, strikes (faults.py), waits for rest without a person, and asks whether every
promise was kept (promises.py, invariants.py).
"""
