"""IntentReviewer: reads a plan, a design or a choice of rules and says what speaks against it. It never decides."""
