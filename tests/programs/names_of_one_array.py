"""Arrays without derivative that are written under another name than they are read.

Whether two names hold the same array is often not known when code is generated.
"""





def pick(a, b, k):
    return a if k else b


def raised(r):
    r[1] += 7.0
    return 2.0
