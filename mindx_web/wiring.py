"""What must point upwards is inverted here: lower apps declare a need, this module hands them the answer."""

from agents.record import audit, gate
from people import journal


def connect() -> None:
    """Give the executor review's gate and the system agents, typed commands its audit, everybody a journal, memory
    summaries and requests, A/B trials the answers that are counted, the audit of the past what the rooms above
    find, and whoever activates a tool the policies that ask again.
    """
    from agents.actors.model_requests import forbidden_for_people, request_for_people
    from agents.evolution.ab_trials import trial_cases
    from agents.evolution.activation import asked_again
    from agents.evolution.auditing import sources
    from agents.learning.summaries import summarise
    from agents.planning import messages
    from agents.system import connecting as system
    from library.memory import model_summaries, questions, summaries
    from library.prompts import in_use
    from review.audit.command_chain import keep
    from review.audit.journal import write
    from review.deciding.gate import by_hand, check, forbidden
    from review.deciding.grounds import READS, STAMP
    from review.policies import tightening, tool_bodies, writing
    from review.remarks import connecting as remarks
    from review.talk.told import messages_of
    from review.teaching import recurring

    gate.register(gate.Wired(check, forbidden, by_hand, STAMP, tuple(READS)))
    audit.register(keep)
    journal.register(write)
    summaries.register(summarise)
    questions.register(request_for_people)
    model_summaries.register(request_for_people, forbidden_for_people)
    sources.register(recurring.source())
    sources.register(tightening.source())
    asked_again.register(asked_again.Wired(tool_bodies.asking_again, writing.may_read))
    messages.register(messages_of)
    in_use.register(trial_cases.note_answer)
    system.connect()
    remarks.connect()
