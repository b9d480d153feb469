internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// Loads the rows that a guest of the company `demo` sees, and keeps their dates relative to today.
///
/// Private rows belong to the guest's own user. A refresh changes only rows with outdated dates.
package struct DemoGuest: Sendable {
  /// The e-mail address of the guest's user.
  static let email = "guest@demo.example"

  private let services: Services
  private let records: Records
  private let demos: [any AppDemo]

  package init(_ services: Services, _ records: Records, _ demos: [any AppDemo]) {
    self.services = services
    self.records = records
    let installed = Set(records.catalogue.types.map(\.app))
    self.demos = demos.filter { installed.contains($0.app) }
  }

  /// Creates the guest, the entitlement `pro` and the guest's rows if missing, then refreshes them; for
  /// operators.
  package func load(_ company: CompanyRow) async throws {
    let stage = try await DemoStage(services, records, company, actor: .operator("demo"))
    let members = Members(services)
    if try await !members.list(stage.acting).contains(where: { $0.email == Self.email }) {
      _ = try await members.add(stage.acting, email: Self.email, name: "Guest", role: "guest")
    }
    if try await Entitlements(services).list(stage.acting).isEmpty {
      try await Entitlements(services).grant(stage.acting, name: "pro")
    }
    let guest = try await guest(company)
    let rows = demos.flatMap { $0.rows(stage) }
    for owner in [nil, guest] { try await make(rows, company, owner: owner) }
    try await refresh(company)
  }

  /// Moves dates that are relative to today; for operators and workers. Idempotent.
  ///
  /// - Returns: the number of moved records; 0 if the company is not of kind `demo` or has no guest.
  @discardableResult
  package func refresh(_ company: CompanyRow) async throws -> Int {
    guard company.kind == "demo", let guest = try await existingGuest(company) else { return 0 }
    let stage = try await DemoStage(services, records, company, actor: .system("demo"))
    var moved = 0
    for group in demos.flatMap({ $0.rows(stage) }) {
      let user = group.isPrivate ? guest : nil
      let acting = ActingContext(company: company, actor: stage.actor, user: user)
      for row in group.rows where !row.moving.isEmpty {
        // A row that a user has deleted stays deleted.
        guard let found = try? await records.show(acting, type: group.type, id: row.id) else { continue }
        let changes = row.changes(from: found)
        guard !changes.isEmpty else { continue }
        _ = try await records.update(acting, type: group.type, id: row.id, fields: changes)
        moved += 1
      }
    }
    for demo in demos { moved += try await demo.refresh(stage) }
    return moved
  }

  private func make(_ groups: [DemoRows], _ company: CompanyRow, owner: UUID?) async throws {
    let options = TransactionOptions.inside(company.id, user: owner, mode: .import)
    let (catalogue, ids) = (records.catalogue, services.ids)
    try await services.database.transaction(options) { tx in
      let context = WorkContext(
        company: company.id,
        actor: .system("demo"),
        user: owner,
        mode: .import,
        requestID: ids.next()
      )
      let now = try tx.value("select now()", as: Instant.self)
      let ledger = SeedLedger(context, catalogue, tx)
      for group in groups where group.isPrivate == (owner != nil) {
        let seeds = group.rows.map {
          Seed(id: $0.id, createdAt: now, maker: owner, status: $0.status, cells: $0.fields.map(\.1))
        }
        _ = try ledger.write(group.type, group.columns, seeds)
      }
      try ledger.flush()
    }
  }

  private func guest(_ company: CompanyRow) async throws -> UUID {
    guard let guest = try await existingGuest(company) else {
      throw DomainError(.notFound, "the demo company has no active guest")
    }
    return guest
  }

  private func existingGuest(_ company: CompanyRow) async throws -> UUID? {
    try await services.database.transaction(.inside(company.id)) { tx in
      try MemberStore.find(company: company.id, handle: Self.email, tx).first { $0.status == .active }?
        .userID
    }
  }
}
