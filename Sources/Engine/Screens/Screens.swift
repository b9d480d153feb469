package import Domain
internal import FoundationEssentials
internal import Postgres
package import Store
internal import Synchronization

/// What the pages of the console show, each read in one transaction with the rights of the person who looks.
package struct Screens: Sendable {
  let records: Records
  let choices = KnownChoices()

  /// - Parameter records: the use cases, which all routes of a process share.
  package init(_ records: Records) { self.records = records }

  /// Returns what a page without records of its own shows.
  package func frame(_ acting: ActingContext) async throws -> ScreenFrame {
    try await reading(acting) { _, frame, _ in frame }
  }

  /// Runs a read-only body with the person's rights and the frame of the page.
  func reading<Value: Sendable>(
    _ acting: ActingContext,
    _ body: @escaping @Sendable (Transaction, ScreenFrame, Rights) throws -> Value
  ) async throws -> Value {
    try await reading(acting, { _ in }) { tx, frame, rights, _ in try body(tx, frame, rights) }
  }

  /// Runs a read-only body with the person's rights, the frame of the page, and the results of the queries that `queue`
  /// adds to the first round trip.
  ///
  /// The types are those known to this process. If apps were installed meanwhile, everything is read again.
  func reading<Tickets, Value: Sendable>(
    _ acting: ActingContext,
    _ queue: @escaping @Sendable (inout Pipeline) throws -> Tickets,
    _ body: @escaping @Sendable (Transaction, ScreenFrame, Rights, Tickets) throws -> Value
  ) async throws -> Value {
    for _ in 0..<2 {
      let number = records.catalogue.number
      let value = try await records.reading(acting) { pipeline in
        (pipeline.rows(FrameRow.query(acting), as: FrameRow.self), try queue(&pipeline))
      } _: { tx, rights, tickets -> Value? in
        guard rights.access.catalogueNumber == number else { return nil }
        let frame = try self.frame(acting, try tickets.0.first, rights, tx)
        return try body(tx, frame, rights, tickets.1)
      }
      if let value { return value }
      try await records.refresh()
    }
    throw DomainError(.unavailable, "apps are being installed", hint: "try again in a moment")
  }

  private func frame(_ acting: ActingContext, _ row: FrameRow?, _ rights: Rights, _ tx: Transaction) throws
    -> ScreenFrame
  {
    let types = try records.types(followedBy: rights.access, of: acting.company.id, tx).filter { type in
      (try? rights.requireRead(type)) != nil
    }
    return ScreenFrame(
      company: row?.company ?? acting.company,
      person: rights.access.userName,
      role: rights.access.role,
      language: Language(stored: row?.language),
      unread: Int(row?.unread ?? 0),
      types: types,
      today: rights.access.today,
      now: rights.access.now,
      isOpen: (try? rights.requireCompany(permits: .write)) != nil,
      rights: rights,
      epoch: rights.access.epoch,
      choices: try choices.read(catalogue: rights.access.catalogueNumber, tx)
    )
  }
}

extension ScreenFrame {
  /// Returns a type that the person may list.
  ///
  /// - Throws: `unknown_type` as for a type that does not exist.
  package func type(_ name: String) throws(DomainError) -> RecordType {
    guard let type = types.first(where: { $0.name == name }) else { throw DomainError(.notFound) }
    return type
  }
}

/// The values that check constraints permit, read again when apps have changed.
final class KnownChoices: Sendable {
  private let known = Mutex<(number: Int64, choices: [String: [String: [String]]])?>(nil)

  /// Returns the permitted values by table and column.
  func read(catalogue number: Int64, _ tx: Transaction) throws -> [String: [String: [String]]] {
    if let known = known.withLock({ $0?.number == number ? $0?.choices : nil }) { return known }
    var read: [String: [String: [String]]] = [:]
    for choice in try tx.rows(ColumnChoices.query, as: ColumnChoices.self) {
      read[choice.table, default: [:]][choice.column] = choice.values
    }
    known.withLock { [read] in $0 = (number, read) }
    return read
  }
}
