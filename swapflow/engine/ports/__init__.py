"""What the steps need from outside: a live state, a ledger, a way out, a doorbell."""

from swapflow.engine.ports.dispatcher import Dispatcher, Message, Topic
from swapflow.engine.ports.ledger import Ledger
from swapflow.engine.ports.live_state import Applied, Arms, Changes, CycleState, Doorbell, Integers
from swapflow.engine.ports.records import (
    DecisionRecord,
    Lease,
    Load,
    Mail,
    MailRecord,
    Named,
    Pin,
    Prepared,
    Pulse,
    RulesVersion,
    Step,
    Waiting,
    Wish,
)
from swapflow.engine.ports.writes.transaction import Transaction


__all__ = [
    "Applied",
    "Arms",
    "Changes",
    "CycleState",
    "DecisionRecord",
    "Dispatcher",
    "Doorbell",
    "Integers",
    "Lease",
    "Ledger",
    "Load",
    "Mail",
    "MailRecord",
    "Message",
    "Named",
    "Pin",
    "Prepared",
    "Pulse",
    "RulesVersion",
    "Step",
    "Topic",
    "Transaction",
    "Waiting",
    "Wish",
]
