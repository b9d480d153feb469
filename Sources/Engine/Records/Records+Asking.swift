internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// The result of one attempt to ask.
private enum Asked<Value: Sendable>: Sendable {
  case value(Value)
  /// The decision requires the answers to other questions.
  case again
  /// The cached types were out of date.
  case outdatedTypes
  /// The cached workflows of the company were out of date.
  case outdatedWorkflows
}

/// Thrown by a decision that requires the answers to other questions.
struct AskAgain: Error {}

extension Records {
  /// The number of attempts before an error is reported.
  private static let mostAttempts = 4

  /// Asks for the actor's rights and a record type's rows in one round trip, and decides afterwards.
  ///
  /// The transaction has ended when `decide` runs, unless `keepsOpen` is true: then it may ask more. If the cached types or
  /// workflows turn out to be out of date, they are read, and everything is asked again.
  ///
  /// - Parameters:
  ///   - filter: true if the queries search for records. Those that name a record are planned once per connection.
  ///   - queue: queues the queries about the type under the workflow that the company follows. An error that it
  ///     throws is reported after the rights were checked.
  ///   - decide: throws ``AskAgain`` if the queries have to be repeated, after it has changed what `queue` depends on.
  func asking<Tickets, Value: Sendable>(
    _ acting: ActingContext,
    type name: String,
    byFilter filter: Bool = false,
    keepsOpen: Bool = false,
    _ queue: @escaping @Sendable (RecordType, inout Pipeline) throws -> Tickets,
    _ decide: @escaping @Sendable (Transaction, RecordType, Rights, Tickets) throws -> Value
  ) async throws -> Value {
    let context = acting.context(requestID: services.ids.next())
    return try await services.denials.watching(context) {
      for _ in 0..<Self.mostAttempts {
        let catalogue = self.catalogue
        let known = followed.followed(by: acting.company.id)
        guard let found = catalogue.types.first(where: { $0.name == name }) else {
          if try await refresh() { continue }
          _ = try catalogue.type(name)
          break
        }
        let type = found.following(known)
        do {
          var options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
          if !filter { options.settings.append(.genericPlans) }
          let asked = try await attempt(acting, type, options, keepsOpen: keepsOpen, queue) {
            tx,
            rights,
            tickets in
            guard rights.access.catalogueNumber == catalogue.number else {
              return Asked<Value>.outdatedTypes
            }
            guard type.workflow == nil || rights.access.workflowRevision == known.revision else {
              return .outdatedWorkflows
            }
            do {
              return .value(try decide(tx, type, rights, tickets))
            } catch is AskAgain {
              return .again
            }
          }
          switch asked {
          case .value(let value): return value
          case .again: break
          case .outdatedTypes: try await refresh()
          case .outdatedWorkflows: try await followNow(acting)
          }
        } catch let error as PostgresError where Self.isOfOutdatedType(error) {
          guard try await refresh() else { throw error }
        }
      }
      throw DomainError(.unavailable, "apps are being installed", hint: "try again in a moment")
    }
  }

  private func attempt<Tickets, Value: Sendable>(
    _ acting: ActingContext,
    _ type: RecordType,
    _ options: TransactionOptions,
    keepsOpen: Bool,
    _ queue: @escaping @Sendable (RecordType, inout Pipeline) throws -> Tickets,
    _ decide: @escaping @Sendable (Transaction, Rights, Tickets) throws -> Value
  ) async throws -> Value {
    let (context, catalogue) = (acting.context(requestID: services.ids.next()), catalogue)
    return try await services.database.transaction(options) { tx in
      var refusal: (any Error)?
      func ask(_ pipeline: inout Pipeline) -> (access: AccessTicket, tickets: Tickets?) {
        let access = AccessTicket(context, catalogue, &pipeline)
        do {
          return (access, try queue(type, &pipeline))
        } catch {
          refusal = error
          return (access, nil)
        }
      }
      let (first, tickets) = try keepsOpen ? tx.pipeline { ask(&$0) } : tx.commit { ask(&$0) }
      guard let access = try first.first else { throw DomainError(.notFound, "there is no such company") }
      let rights = try Rights(acting, access)
      rightsKnown.keep(rights, of: acting)
      try rights.requireCompany(permits: .read)
      if let refusal { throw refusal }
      guard let tickets else { throw DomainError(.internal) }
      return try decide(tx, rights, tickets)
    }
  }

  /// Caches the workflows that the company follows now.
  func followNow(_ acting: ActingContext) async throws {
    let (catalogue, followed) = (self.catalogue, self.followed)
    let options = TransactionOptions.inside(acting.company.id, user: acting.user, readOnly: true)
    _ = try await services.database.transaction(options) { tx in
      try followed.load(acting.company.id, catalogue, tx).revision
    }
  }

  /// True for an error of a statement that names a column or a table which no longer exists.
  private static func isOfOutdatedType(_ error: PostgresError) -> Bool {
    error.sqlState == .undefinedColumn || error.sqlState == .undefinedTable
  }
}
