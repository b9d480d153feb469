internal import FoundationEssentials
internal import Postgres
internal import Store

/// A way to number changes, and to read on from the last one seen.
enum CursorKind: String, CaseIterable, Sendable {
  /// The time of the transaction.
  case now
  /// The time of the statement.
  case clock
  /// A sequence.
  case sequence
  /// One more than the highest number that the writer sees.
  case highest
  /// A sequence; the reader waits for all transactions older than the oldest running one.
  case settled
  /// The transaction's id and a sequence, with the same wait.
  case compound
  /// The gate of the company, locked last: the numbers of the feed.
  case gate

  /// True if the cursor must miss nothing.
  var isSafe: Bool { self == .gate || self == .compound }

  /// True if one open transaction, even of another tenant, keeps all readers from newer changes.
  var waits: Bool { self == .settled || self == .compound }

  /// The table in which the writers of a wrong cursor leave their changes.
  static let tables: [SQL] = [
    "create table chaos.change (kind text not null, id uuid not null, at timestamptz, seq bigint, xid xid8)",
    "create index change_place on chaos.change (kind, seq)",
    "create index change_time on chaos.change (kind, at)",
    "create sequence chaos.place",
  ]

  /// Returns the statements that write changes.
  func write(_ ids: [UUID], company: UUID) -> [SQL] {
    let made: SQL = "from unnest(\(ids)) with ordinality x (id, n)"
    switch self {
    case .now: return ["insert into chaos.change (kind, id, at) select \(rawValue), x.id, now() \(made)"]
    case .clock:
      return ["insert into chaos.change (kind, id, at) select \(rawValue), x.id, clock_timestamp() \(made)"]
    case .sequence, .settled, .compound:
      return [
        """
        insert into chaos.change (kind, id, seq, xid)
        select \(rawValue), x.id, nextval('chaos.place'), pg_current_xact_id() \(made)
        """
      ]
    case .highest:
      return [
        """
        insert into chaos.change (kind, id, seq)
        select \(rawValue), x.id, x.n + coalesce((select max(c.seq) from chaos.change c where c.kind = \(rawValue)), 0)
        \(made)
        """
      ]
    case .gate:
      let changes = ids.map {
        FeedChange(recordType: "probe.thing", recordID: $0, operation: .put, version: 1)
      }
      return [
        FeedWriter.gate(company: company),
        FeedWriter.write(changes, company: company, now: Instant(microseconds: 0)),
      ]
    }
  }

  /// Returns the statement that selects the changes after a place, with the place of each as text.
  func read(after place: String?, company: UUID) -> SQL {
    switch self {
    case .now, .clock:
      return """
        select c.id, c.at::text from chaos.change c
        where c.kind = \(rawValue) and (\(nullable: place)::text is null or c.at > \(nullable: place)::timestamptz)
        order by c.at
        """
    case .sequence, .highest, .settled:
      let settled: SQL =
        self == .settled ? " and c.xid < pg_snapshot_xmin(pg_current_snapshot())" : ""
      return """
        select c.id, c.seq::text from chaos.change c
        where c.kind = \(rawValue) and c.seq > coalesce(\(nullable: place)::bigint, 0)\(settled)
        order by c.seq
        """
    case .compound:
      let parts = place?.split(separator: " ").map(String.init) ?? ["0", "0"]
      return """
        select c.id, c.xid::text || ' ' || c.seq from chaos.change c
        where c.kind = \(rawValue) and (c.xid, c.seq) > (\(parts[0])::text::xid8, \(parts[1])::text::bigint)
          and c.xid < pg_snapshot_xmin(pg_current_snapshot())
        order by c.xid, c.seq
        """
    case .gate:
      return """
        select f.record_id, f.seq::text from core.feed f
        where f.company_id = \(company) and f.seq > coalesce(\(nullable: place)::bigint, 0)
        order by f.seq
        """
    }
  }
}
