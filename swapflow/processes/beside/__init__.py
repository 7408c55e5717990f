"""What a coordinator does beside its turns: looks at what is due, and long fits of the model."""
