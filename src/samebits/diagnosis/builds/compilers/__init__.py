"""Side a's program as C, built by the compilers of this machine as another machine's may be."""
