import atexit
import gc

# To start makes some hundred thousand objects, none of them garbage: to look for it after every
# 700, as Python does unless told, took a quarter of each start.
gc.set_threshold(20_000, 10, 10)

# As it ends, Python looks through all of them once more: a third of a short command's time. What
# they hold of the system, it takes back by itself.
atexit.register(gc.freeze)
