"""From an exchange to items: what was decided, what must hold, what was turned down.

Offline and pure: texts in, values out. Reads top-down: `text` cuts messages into blocks and
sentences, `acts` tells what the user's words do, `proposals` what they refer to, `classify` how
likely they settle something, `items` puts the item together, `reconcile` compares it with what is
known.
"""
