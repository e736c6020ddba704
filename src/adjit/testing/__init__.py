"""What can be tested outside this repository: programs for the GPU and the script that runs them there."""
