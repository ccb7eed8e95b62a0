"""One Transis node: the protocols, pure, and the runtime that drives them."""
