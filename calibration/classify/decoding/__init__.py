"""Which labels explain a board best together? The joint decoding of all looks.

decode.py           the facade: search the best labelling, and how far its rivals are behind
decoding.py         the result: what each cluster means, and how sure that is
labelling_score.py  the score of a labelling: witnesses, backgrounds, rules
doubts.py           looks that cannot be decided from one picture, whatever explains them best
board_chance.py     the log-chance of a board under the rules and habits of the game
looks.py            group clusters to looks, the variables of the search

The testimony is given; nothing here looks at more than the clusters' features.
"""
