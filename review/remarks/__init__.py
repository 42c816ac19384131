"""IntentReviewer: reads a plan, a design or a choice of rules and lists objections. It never decides."""
