"""Random numbers: generators without hidden state, and what is drawn from them."""
