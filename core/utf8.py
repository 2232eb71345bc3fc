"""Text as UTF-8, also where it is not quite text."""


def utf8(text: str) -> bytes:
    """The bytes of `text`. Half a surrogate pair, which typed text may hold, is no error: three bytes stand for it."""
    return text.encode(errors="surrogatepass")
