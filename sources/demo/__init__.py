"""The demo: two organisations with documents that were written for it, in English, Persian and Latin.

All persons, companies and figures are invented. The PDFs are made from `html/` by `bench/make_demo_pdfs.py`.
"""
