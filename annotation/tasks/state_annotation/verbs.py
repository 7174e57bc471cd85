"""Verbs of action and verbs of state with their forms, for the "looks like an action" caution.

Left out on purpose, because they often describe what somebody or something is like: to work, to
live, to sleep, to wait, to sit, to stand, to wear, to try, to win and to lose.
"""


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR_ACTIONS = """
bite/bit/biting break/broke/breaking bring/brought/bringing build/built/building buy/bought/buying
catch/caught/catching choose/chose/choosing come/came/coming creep/crept/creeping cut/cut/cutting
dig/dug/digging draw/drew/drawing drink/drank/drinking drive/drove/driving eat/ate/eating
feed/fed/feeding fight/fought/fighting fly/flew/flying give/gave/giving go/went/going
hang/hung/hanging hide/hid/hiding hit/hit/hitting hold/held/holding kneel/knelt/kneeling
leap/leapt/leaping leave/left/leaving lend/lent/lending make/made/making meet/met/meeting
pay/paid/paying put/put/putting read/read/reading ride/rode/riding ring/rang/ringing run/ran/running
say/said/saying sell/sold/selling send/sent/sending set/set/setting sew/sewed/sewing
shake/shook/shaking shoot/shot/shooting sing/sang/singing slide/slid/sliding speak/spoke/speaking
spend/spent/spending spread/spread/spreading steal/stole/stealing strike/struck/striking
sweep/swept/sweeping swim/swam/swimming take/took/taking teach/taught/teaching tear/tore/tearing
tell/told/telling throw/threw/throwing weep/wept/weeping write/wrote/writing
"""
_REGULAR_ACTIONS = """
accept add answer apologize arrange arrive ask attack bake bathe beg borrow bounce brush call carry
chase check chew clap clean climb close collect comb complain cook copy count crawl cross cry dance
deliver divide dress drop dry dust empty enter exercise explain explore fetch fill finish fix flip
fold follow fry gather giggle glance glue grab greet hammer hand help hike hop hug hunt hurry invite
iron jog join juggle jump kick kiss knit knock laugh lick lift listen load lock mail march mash melt
mix mop move mow nod offer open order pack paint park paste pat peel phone pick plant play point
polish pour practice practise prepare press print promise pull pump punch push quit race raise rake
reach repair reply rescue rest return rinse roll rub rush sail scold scream scrub search serve shop
shout shove show sigh sign sip skate ski skip slam slap slice sprint squeeze stack start steer stir
stop stroll study surf swallow swap talk tap tease thank tidy tie toss touch tow travel trip turn
type unlock unpack visit vote walk wander warn wash watch water wave whisper whistle wink wipe wrap
yell
"""
_STATES = """
ache admire adore age agree amuse annoy appear appreciate approve become believe belong bore bother
care change cherish confuse consist contain continue cost cover crave decide decrease delight depend
deserve desire despise detest differ disagree disappoint disapprove dislike distrust doubt dread
dream embarrass end enjoy envy equal excite exist expect favor favour fear feature feel fit forget
frighten frustrate get grow happen hate have heal hope hurt imagine impress improve include increase
inspire intend interest itch know lack last lead learn lie like live long look love matter mean mind
miss mistrust need occur overwhelm owe own pity please possess prefer realize recognize recover
refuse regret relieve rely remain remember require resemble resent respect retire rot satisfy scare
seem shock sit sleep smell sound stand stay stink suffer suit suppose surprise survive suspect taste
tend think tire treasure trust understand upset value vanish want wear weigh wish wonder work worry
worship
"""
_IRREGULAR_STATES = """
became cost dreamt felt find finds fit forgot found got gotten grew hurt keep keeps kept knew lain
lay learnt led lose loses lost meant sat slept stank stood thought understood upset win wins won
wore
"""
_DOUBLING = word_set(
    "beg chat clap drop flip grab hop hug jog knit mop nod pat prefer quit regret rub scrub shop "
    "sip skip slam slap stir stop swap tap trip upset wrap"
)
_SAME_PAST = frozenset({"quit"})
# Ends in -ed, may stand before an object, and is not a past form of an action.
_LOOK_LIKE_PAST = "need indeed speed seed feed weed bed red shed sacred naked wicked hundred breed"


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _past(verb: str) -> str:
    if verb in _SAME_PAST:
        return verb
    if verb in _DOUBLING:
        return verb + verb[-1] + "ed"
    if verb.endswith("e"):
        return verb + "d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ied"
    return verb + "ed"


def _progressive(verb: str) -> str:
    if verb in _DOUBLING:
        return verb + verb[-1] + "ing"
    if verb == "tie":
        return "tying"
    if verb.endswith("e"):
        return verb[:-1] + "ing"
    return verb + "ing"


_TRIPLES = [entry.split("/") for entry in _IRREGULAR_ACTIONS.split()]
_REGULAR = _REGULAR_ACTIONS.split()

ACTION_PLAIN = frozenset([*(plain for plain, _, _ in _TRIPLES), *_REGULAR])
ACTION_PRESENT = frozenset(map(_third_person, ACTION_PLAIN))
ACTION_PAST = frozenset([*(past for _, past, _ in _TRIPLES), *map(_past, _REGULAR)])
ACTION_PROGRESSIVE = frozenset([*(form for _, _, form in _TRIPLES), *map(_progressive, _REGULAR)])

STATE_FORMS = frozenset(
    form for verb in _STATES.split() for form in (verb, _third_person(verb), _past(verb))
) | word_set(_IRREGULAR_STATES)
NOT_PAST_VERBS = STATE_FORMS | word_set(_LOOK_LIKE_PAST)
