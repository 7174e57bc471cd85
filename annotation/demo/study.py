"""What `make demo` puts into an empty database: a study, stories, and how two systems revised some
of them, all written for this project."""

from pathlib import Path

from django.utils.translation import gettext_noop

STORIES_FILE = Path(__file__).with_name("stories.csv")
STORIES_FORMAT = "csv"
OUTPUTS_FILE = Path(__file__).with_name("outputs.jsonl")
INSTRUMENT = "story-revision"

STUDY_SLUG = "state-annotation"
STUDY_TITLE = gettext_noop("State annotation")

CONSENT_TEXT = gettext_noop(
    """Who we are. This is a demonstration study. A researcher who copies it puts the name of the \
group, the ethics approval and a contact address here: [contact address].

What you do. You read a short story, write down something that is true in it but not said, and \
edit the story so that it is no longer true. In other tasks you read stories that were edited, and \
say how well that was done. One task takes a few minutes. You can do as many or as few as you like.

What you get. Each task pays the reward shown before you accept it. A person or a rule that we \
tell you about decides on payment, and you see the decision and the reason in your history.

What we keep. We keep what you write, when you wrote it, and which marketplace account it came \
from. The data that we publish carries a made-up name in place of your account. Please do not \
write anything about yourself or other real people.

If you change your mind. You can stop at any time and return a task without giving a reason. Write \
to the address above to have your answers taken out. What is already in a published dataset cannot \
be called back.

There is no known risk in taking part. You need to be 18 or older."""
)
