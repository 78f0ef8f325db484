import torch.utils._pytree as theirs

import glassgrad.utils._pytree as ours

TREE = {"a": [1, (2.0, "three")], "b": None, "c": [4]}


def test_trees_are_taken_apart_and_put_together_as_by_pytorch():
    found = []
    for lib in (ours, theirs):
        leaves, structure = lib.tree_flatten(TREE)
        assert lib.tree_structure(TREE) == structure
        assert lib.tree_unflatten(leaves, structure) == TREE
        found.append(
            [
                lib.tree_leaves(TREE),
                lib.tree_map(repr, TREE),
                lib.tree_map_only(int, lambda n: n + 1, TREE),
                lib.tree_all(lambda leaf: leaf != 1, TREE),
                lib.tree_any(lambda leaf: leaf == 4, TREE),
            ]
        )
    assert found[0] == found[1]
