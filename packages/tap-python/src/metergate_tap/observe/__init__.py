"""
Observes the calls of a provider client, in place. What is observed never changes, and a fault in here never reaches the host: at worst a
call is not told. Spec: Tap client wrapper; design 3, rows 27, 28 and 30b.
"""
