"""The only writers of results and rules, and the readers that several pages share."""
