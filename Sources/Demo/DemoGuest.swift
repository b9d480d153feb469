internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Secrets
package import Store

/// What a guest of the demo company finds in the apps beside maintenance, always as of today: meals of today and of
/// seven days before, things of which one warranty ends in twelve days, a trip that is under way, a roof in the sun.
///
/// Private rows belong to the guest's own user. A refresh makes what is missing and moves what has become old; what
/// is right already it leaves alone, history and all.
package struct DemoGuest: Sendable {
  /// The address of the guest's user.
  static let email = "guest@demo.example"
  /// Every demo company has the rows of this number: there is one of it in a database.
  private static let series = DemoSeries("guest")

  private let services: Services
  private let records: Records

  package init(_ services: Services, _ records: Records) {
    self.services = services
    self.records = records
  }

  /// Makes the guest and what they find; for operators.
  package func load(_ company: CompanyRow) async throws {
    let operatorContext = ActingContext(company: company, actor: .operator("demo"), user: nil)
    let members = Members(services)
    if try await !members.list(operatorContext).contains(where: { $0.email == Self.email }) {
      _ = try await members.add(operatorContext, email: Self.email, name: "Guest", role: "guest")
    }
    if try await Entitlements(services).list(operatorContext).isEmpty {
      try await Entitlements(services).grant(operatorContext, name: "pro")
    }
    let guest = try await guest(company)
    let today = try await today(operatorContext)
    let rows = DemoGuestRows(series: Self.series, company: company.id, zone: company.timeZone, today: today)
    for owner in [nil, guest] { try await make(rows, company, owner: owner, today) }
    try await refresh(company)
  }

  /// Moves what is told relative to today; for operators and workers, and as often as one likes.
  ///
  /// - Returns: how many records it moved.
  @discardableResult
  package func refresh(_ company: CompanyRow) async throws -> Int {
    guard company.kind == "demo", let guest = try await existingGuest(company) else { return 0 }
    let operatorContext = ActingContext(company: company, actor: .system("demo"), user: nil)
    let today = try await today(operatorContext)
    let rows = DemoGuestRows(series: Self.series, company: company.id, zone: company.timeZone, today: today)
    var moved = 0
    for row in rows.all where row.moves {
      let acting = ActingContext(company: company, actor: .system("demo"), user: row.isPrivate ? guest : nil)
      // Somebody may have deleted it: then it stays away.
      guard let found = try? await records.show(acting, type: row.type, id: row.id) else { continue }
      let changes = row.changes(from: found)
      guard !changes.isEmpty else { continue }
      _ = try await records.update(acting, type: row.type, id: row.id, fields: changes)
      moved += 1
    }
    moved += try await moveEntries(operatorContext, today)
    try await shine(company, rows)
    return moved
  }

  /// The work orders of the demo company, told so many days before today.
  private func moveEntries(_ acting: ActingContext, _ today: LocalDate) async throws -> Int {
    var moved = 0
    for entry in try await records.list(acting, type: "maintenance.entry", RecordQuery()) {
      guard let text = entry["description"]?.string, let ago = DemoCompany.daysAgo[text],
        let id = entry["id"]?.string.flatMap(UUID.init(uuidString:))
      else { continue }
      let day = today.adding(days: -ago).description
      guard entry["reported_on"]?.string != day else { continue }
      _ = try await records.update(
        acting,
        type: "maintenance.entry",
        id: id,
        fields: ["reported_on": .string(day)]
      )
      moved += 1
    }
    return moved
  }

  private func make(_ rows: DemoGuestRows, _ company: CompanyRow, owner: UUID?, _ today: LocalDate)
    async throws
  {
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
      let now = try tx.value("select now()", as: Timestamp.self)
      let ledger = SeedLedger(context, tx)
      for group in rows.groups where group.isPrivate == (owner != nil) {
        var writer = try SeedWriter(group.type, group.columns, catalogue: catalogue, ledger: ledger)
        for row in group.rows {
          try writer.add(
            Seed(id: row.id, createdAt: now, maker: owner, status: row.status, cells: row.fields.map(\.1))
          )
        }
        try writer.flush()
      }
      try ledger.flush()
    }
  }

  /// The curve of yesterday and of today until now.
  private func shine(_ company: CompanyRow, _ rows: DemoGuestRows) async throws {
    let day = try rows.today.adding(days: -1).calendar
    try await services.database.transaction(.inside(company.id, mode: .engine)) { tx in
      let moments = try tx.first(
        "select \(day)::timestamp at time zone \(company.timeZone), now()",
        Timestamp.self,
        Timestamp.self
      )
      guard let (from, now) = moments else { return }
      _ = try DemoSolar.samples(
        of: rows.site,
        company: company.id,
        capacity: 9.6,
        zone: company.timeZone,
        from: from,
        to: now,
        seconds: 300,
        isWhole: true,
        tx
      )
    }
  }

  private func guest(_ company: CompanyRow) async throws -> UUID {
    guard let guest = try await existingGuest(company) else {
      throw DomainError(.notFound, "the demo has no guest")
    }
    return guest
  }

  private func existingGuest(_ company: CompanyRow) async throws -> UUID? {
    try await services.database.transaction(.inside(company.id)) { tx in
      try MemberStore.find(company: company.id, handle: Self.email, tx).first { $0.status == .active }?
        .userID
    }
  }

  private func today(_ acting: ActingContext) async throws -> LocalDate {
    try LocalDate(parsing: try await Calendar(services).today(acting))
  }
}
