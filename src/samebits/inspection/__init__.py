"""`sb.inspect`: what a kernel compiles to, as data, text and an HTML page."""
