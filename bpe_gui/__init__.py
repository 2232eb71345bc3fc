"""The window: shows a recording at a step, and lets core train on a worker thread. Knows nothing about BPE itself."""
