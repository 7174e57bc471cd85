"""Does an assertion say what somebody does instead of what somebody or something is like?

A word list, not a parser, and built to stay quiet when in doubt, because a caution that is often
wrong teaches people to click it away. It looks at the main clause only:

- a clause with a form of *be* or *have*, a modal, a negation with *do*, or a verb of state
  (*love*, *want*, *taste*, ...) is a state, unless *be* is followed by the -ing form of a verb of
  action ("Susan was walking");
- otherwise it is an action when its verb is one of action ("walked", "takes"), or is an unknown
  past form that ends the clause or has an object or a direction ("microwaved the soup");
- a habit, a skill or a manner is a property, so it is left alone: "Susan runs every day", "Susan
  never drove", "Susan sings well", "Susan speaks French".

Passives ("the car was stolen"), perfects ("she had eaten"), futures and denials ("she was not
eating") count as states.
"""

from annotation.tasks.state_annotation.folding import words
from annotation.tasks.state_annotation.verbs import (
    ACTION_PAST,
    ACTION_PLAIN,
    ACTION_PRESENT,
    ACTION_PROGRESSIVE,
    NOT_PAST_VERBS,
    STATE_FORMS,
    word_set,
)

_BE = word_set("am is are was were be been being isn't aren't wasn't weren't i'm")
_DENIALS = word_set("isn't aren't wasn't weren't")
_PRONOUN_IS = word_set(
    "he's she's it's that's there's we're you're they're who's i've we've you've they've"
)
_HELPERS = word_set(
    "has have had hasn't haven't hadn't having can cannot can't could couldn't will won't would "
    "wouldn't may might must mustn't shall should shouldn't ought do does did don't doesn't didn't "
    "used i'd he'd she'd we'd they'd you'd i'll he'll she'll it'll we'll they'll you'll"
)
_HABIT = word_set(
    "always usually often never sometimes regularly frequently daily weekly rarely seldom every "
    "generally normally typically already well easily seriously personally"
)
_CLAUSE_STARTS = word_set(
    "because when while after before since that who whom whose which where if although though "
    "unless until as so but than"
)
_DETERMINERS = word_set(
    "a an the this that these those my your his her its our their some any no each every "
    "another all both"
)
_OBJECT_STARTS = _DETERMINERS | word_set("him them me us it himself herself themselves")
_DIRECTIONS = word_set(
    "about across along around at away back behind by down for from in into off on onto out over "
    "past through to toward towards under up with"
)
_PLURAL_SUBJECTS = word_set("i you we they")
# "The party went fine", "the repair took hours": what follows shows that nobody acted.
_NOT_DONE_BY_ANYONE = word_set(
    "badly wrong bad smoothly missing crazy viral fine great poorly long longer forever hours days "
    "weeks months years sense"
)
# "Susan speaks French", "plays the piano", "sells cars": in the present, a skill or an occupation.
_SKILLS = word_set("plays sings speaks teaches sells writes cooks swims drives reads")


def looks_like_action(assertion: str) -> bool:
    """True when the main clause clearly reports an action."""
    clause = _main_clause(words(assertion))
    if not _HABIT.isdisjoint(clause):
        return False
    markers = sum(_marks_state(word) for word in clause)
    if markers == 1 and any(_is_progressive(clause, at) for at in range(1, len(clause))):
        return True
    if markers:
        return False
    return any(_is_action_verb(clause, at) for at in range(1, len(clause)))


def _main_clause(tokens: list[str]) -> list[str]:
    """The tokens up to the first word that opens a subordinate clause; none if one opens it all."""
    if tokens[:1] and tokens[0] in _CLAUSE_STARTS - {"that", "so", "but"}:
        return []
    for at, token in enumerate(tokens):
        if at > 0 and token in _CLAUSE_STARTS:
            return tokens[:at]
    return tokens


def _marks_state(word: str) -> bool:
    return word in _BE or word in _PRONOUN_IS or word in _HELPERS or word in STATE_FORMS


def _is_progressive(clause: list[str], at: int) -> bool:
    if clause[at] not in ACTION_PROGRESSIVE or clause[at + 1 : at + 2] == ["to"]:
        return False
    before = clause[at - 1]
    if before.endswith("ly") and at > 1:
        before = clause[at - 2]
    return before in _BE - _DENIALS or before in _PRONOUN_IS


def _is_action_verb(clause: list[str], at: int) -> bool:
    word, before = clause[at], clause[at - 1]
    after = clause[at + 1] if at + 1 < len(clause) else ""
    if before in _DETERMINERS or before.endswith("'s"):
        return False
    if after in _NOT_DONE_BY_ANYONE or word in _SKILLS:
        return False
    if word in ACTION_PAST or word in ACTION_PRESENT:
        return True
    if word in ACTION_PLAIN:
        return at == 1 and before in _PLURAL_SUBJECTS
    return (
        word.endswith("ed")
        and word not in NOT_PAST_VERBS
        and (after == "" or after in _OBJECT_STARTS or after in _DIRECTIONS)
    )
