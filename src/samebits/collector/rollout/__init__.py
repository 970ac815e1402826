"""The watch over releases: how often sessions of a build desync, beside another build's."""
