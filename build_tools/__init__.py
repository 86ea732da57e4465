"""How does a CUDA course prove its kernels and its numbers?"""
