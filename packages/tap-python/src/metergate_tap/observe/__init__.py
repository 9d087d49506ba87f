"""
Observes the calls of a provider client, in place. The host's results never change, and a fault in here never reaches the host: at worst a
call is not reported. Spec: Tap client wrapper; rules 27, 28 and 30b.
"""
