"""An ordered set by dict."""


def unique(names):
    seen = dict.fromkeys(names)
    return [name for name in seen]
