internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The members whom cells name by email address, by the part before its `@`, or by their name, also in the order
/// `Last, First`. What several members are called is refused.
struct ImportMembers {
  private typealias Row = (user: UUID, address: String, handle: String, name: String)

  /// The members by folded name.
  private(set) var found: [String: UUID] = [:]
  /// Why folded names are refused.
  private(set) var refusals: [String: DomainError] = [:]

  /// - Parameter names: the names as they were written, and folded.
  init(_ names: [(written: String, folded: String)], _ work: Work) throws {
    let ordered = Dictionary(names.map { ($0.folded, Self.firstNameFirst($0.folded)) }) { first, _ in first }
    let handles = Dictionary(names.map { (EmailAddress.key(ofHandle: $0.written), $0.folded) }) { first, _ in
      first
    }
    let keys = Array(handles.keys)
    let fullName: SQL = "regexp_replace(\(RecordName.folded("u.name")), '\\s+', ' ', 'g')"
    let rows: [Row] = try work.transaction.rows(
      """
      select m.user_id, u.email_key, split_part(u.email_key, '@', 1), \(fullName)
      from core.membership m
      join core.app_user u on u.id = m.user_id
      where m.company_id = \(work.context.company) and m.status <> 'removed'
        and (
          u.email_key = any (\(keys)) or split_part(u.email_key, '@', 1) = any (\(keys))
          or \(fullName) = any (\(Array(Set(ordered.values))))
        )
      order by m.user_id
      """,
      UUID.self,
      String.self,
      String.self,
      String.self
    ).map { ($0.0, $0.1, $0.2, $0.3) }
    // A handle comes before a name, and an address before both.
    let called = Dictionary(grouping: rows, by: \.name)
    for (folded, name) in ordered { take(called[name], called: folded) }
    let handled = Dictionary(grouping: rows, by: \.handle)
    for (handle, folded) in handles { take(handled[handle], called: folded) }
    let addressed = Dictionary(grouping: rows, by: \.address)
    for (address, folded) in handles { take(addressed[address], called: folded) }
  }

  private mutating func take(_ members: [Row]?, called name: String) {
    guard let members, let first = members.first else { return }
    guard members.count > 1 else {
      found[name] = first.user
      return
    }
    let addresses = members.map(\.address).sorted().joined(separator: ", ")
    refusals[name] = DomainError(
      .notFound,
      "\(members.count) members are called \(Quoted(name)): \(addresses)",
      hint: "write the email address"
    )
  }

  /// Returns `first last` for `last, first`, with single blanks.
  private static func firstNameFirst(_ name: String) -> String {
    let halves = name.split(separator: ",").map { $0.split { $0.isWhitespace }.joined(separator: " ") }
    return (halves.count == 2 ? [halves[1], halves[0]] : halves).joined(separator: " ")
  }
}
