"""Components of the library: versions with lineage, one of them active, found by when they are of use."""
