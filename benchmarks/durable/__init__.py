"""`make bench-durable`: our executor beside the durable engines that people would pick instead, on the same servers.

One file per engine behind `protocol.Engine`, lanes that are processes, and a runner that takes the engines in turns.
"""
