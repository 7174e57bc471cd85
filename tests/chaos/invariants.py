"""What must hold of the rows at any moment (ALWAYS), and once everything has come to rest (REST).

Each is a query for the rows that break it.
"""

from collections.abc import Mapping

import psycopg2

from tests.chaos.site import Site

Rows = dict[str, list[tuple[object, ...]]]

LIVE = "('accepted', 'submitted', 'approved', 'rejected')"
DECIDED = "('Approved', 'Rejected')"

ALWAYS = {
    "taken is the number of live assignments, at most overlap": f"""
        SELECT t.id, t.taken, t.overlap, count(a.id) FROM studies_task t
        LEFT JOIN studies_assignment a ON a.task_id = t.id AND a.state IN {LIVE}
        GROUP BY t.id HAVING t.taken <> count(a.id) OR t.taken > t.overlap""",
    "a slot has one live assignment": f"""
        SELECT slot_id, count(*) FROM studies_assignment WHERE state IN {LIVE}
        GROUP BY slot_id HAVING count(*) > 1""",
    "a worker has a task once": """
        SELECT task_id, participant_id, count(*) FROM studies_assignment
        GROUP BY task_id, participant_id HAVING count(*) > 1""",
    "an assignment has one response": """
        SELECT assignment_id, count(*) FROM studies_response
        GROUP BY assignment_id HAVING count(*) > 1""",
    "a response has its one contribution": """
        SELECT r.id, count(c.id) FROM studies_response r
        LEFT JOIN studies_contribution c ON c.response_id = r.id
        GROUP BY r.id HAVING count(c.id) <> 1""",
    "a submitted assignment has a response": """
        SELECT a.id FROM studies_assignment a LEFT JOIN studies_response r ON r.assignment_id = a.id
        WHERE a.state IN ('submitted', 'approved', 'rejected') AND r.id IS NULL""",
    "a round has a slot for every place": """
        SELECT r.id FROM studies_round r
        WHERE (SELECT sum(overlap) FROM studies_task t WHERE t.round_id = r.id)
           <> (SELECT count(*) FROM studies_slot s WHERE s.round_id = r.id AND NOT s.spent)""",
    "no slot has two HITs": """
        SELECT requester_annotation, count(*) FROM marketplace_hit
        GROUP BY requester_annotation HAVING count(*) > 1""",
    "a HIT belongs to a slot, a slot knows its own HIT": """
        SELECT h.hit_id, s.id FROM marketplace_hit h
        FULL JOIN studies_slot s ON h.requester_annotation = 'fabula:' || s.key
        WHERE s.id IS NULL OR s.hit_id <> '' AND s.hit_id IS DISTINCT FROM h.hit_id""",
    "a HIT counts its assignments": f"""
        SELECT h.id FROM marketplace_hit h
        LEFT JOIN marketplace_assignment a ON a.hit_id = h.id GROUP BY h.id
        HAVING h.pending <> count(*) FILTER (WHERE a.status = 'Accepted')
            OR h.submitted <> count(*) FILTER (WHERE a.status = 'Submitted')
            OR h.completed <> count(*) FILTER (WHERE a.status IN {DECIDED})
            OR h.max_assignments <> h.available + h.pending + h.submitted + h.completed""",
    "a group counts what is open": """
        SELECT t.id, t.available_count FROM marketplace_hittype t
        LEFT JOIN marketplace_hit h ON h.hit_type_id = t.id AND h.status = 'Assignable'
        GROUP BY t.id HAVING t.available_count <> coalesce(sum(h.available), 0)""",
    "funds are held for what may be approved": """
        SELECT id FROM marketplace_hit WHERE held_slots <> pending + submitted
        + CASE WHEN is_expired OR status = 'Disposed' THEN 0 ELSE available END""",
    "the funds on hold are the sum of the holds": """
        SELECT r.id, r.on_hold_usd FROM marketplace_requester r WHERE r.on_hold_usd <> (
            SELECT coalesce(sum(h.held_slots * (t.reward_usd + t.fee_usd)), 0)
            FROM marketplace_hit h JOIN marketplace_hittype t ON t.id = h.hit_type_id
            WHERE h.requester_id = r.id)""",
    "the balance is the sum of the ledger": """
        SELECT r.id, r.balance_usd FROM marketplace_requester r WHERE r.balance_usd <> (
            SELECT coalesce(sum(amount_usd), 0) FROM marketplace_ledgerentry
            WHERE requester_id = r.id)""",
    "what is approved is paid, once": """
        SELECT a.id, count(l.id) FROM marketplace_assignment a
        LEFT JOIN marketplace_ledgerentry l ON l.assignment_id = a.id AND l.kind = 'reward'
        GROUP BY a.id HAVING count(l.id) <> (a.status = 'Approved')::int""",
    "a worker holds one HIT of a group": """
        SELECT a.worker_id, h.hit_type_id, count(*) FROM marketplace_assignment a
        JOIN marketplace_hit h ON h.id = a.hit_id WHERE a.status = 'Accepted'
        GROUP BY a.worker_id, h.hit_type_id HAVING count(*) > 1""",
    "what is confirmed is in the marketplace": """
        SELECT r.id, m.status FROM studies_response r
        JOIN studies_assignment a ON a.id = r.assignment_id
        LEFT JOIN marketplace_assignment m ON m.assignment_id = a.marketplace_id
        WHERE r.state = 'confirmed'
          AND (m.status IS NULL OR m.status NOT IN ('Submitted', 'Approved', 'Rejected'))""",
    "no job has failed": "SELECT id, kind, error FROM studies_job WHERE state = 'failed'",
}

REST = {
    "every job is done": """
        SELECT id, kind, state, attempts, lease_until - now(), message, error FROM studies_job
        WHERE state NOT IN ('done', 'cancelled')""",
    "every notification is delivered": """
        SELECT id, event, attempts, next_attempt_at - now(), last_error
        FROM marketplace_notification WHERE delivered_at IS NULL""",
    "no response waits for the marketplace": """
        SELECT r.id, r.state, a.marketplace_id FROM studies_response r
        JOIN studies_assignment a ON a.id = r.assignment_id
        WHERE r.state NOT IN ('confirmed', 'unconfirmed')""",
    "every round is published": "SELECT id, state FROM studies_round WHERE state = 'publishing'",
    "every slot of an open round has its HIT": """
        SELECT s.id FROM studies_slot s JOIN studies_round r ON r.id = s.round_id
        WHERE r.state = 'open' AND s.hit_id = ''""",
    "every HIT is known by its slot": """
        SELECT s.id FROM studies_slot s
        JOIN marketplace_hit h ON h.requester_annotation = 'fabula:' || s.key
        WHERE s.hit_id = ''""",
    "open places are on offer when the round is open, and only then": """
        SELECT s.id, r.state, h.expires_at - now() FROM studies_slot s
        JOIN studies_round r ON r.id = s.round_id JOIN marketplace_hit h ON h.hit_id = s.hit_id
        WHERE h.available > 0 AND (h.expires_at > now()) <> (r.state = 'open')""",
    "every hold is applied": "SELECT id, wanted FROM studies_hold WHERE NOT applied",
}


def broken(site: Site, invariants: Mapping[str, str]) -> Rows:
    """The rows that break an invariant, by its name; all seen at one moment."""
    found: Rows = {}
    connection = psycopg2.connect(site.env["DATABASE_URL"], connect_timeout=5)
    try:
        connection.set_session(isolation_level="REPEATABLE READ", readonly=True)
        with connection.cursor() as cursor:
            for name, statement in invariants.items():
                cursor.execute(statement)
                if rows := cursor.fetchall():
                    found[name] = rows[:5]
    finally:
        connection.close()
    return found
