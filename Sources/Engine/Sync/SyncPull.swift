package import Domain
package import FoundationEssentials
internal import Postgres
internal import Secrets
internal import Store

/// Sends devices the changes that they do not have.
///
/// A page is read from one snapshot, in which the feed has no gaps: the gate orders its numbers by commit. What a page
/// contains is decided from the member's rights in the same snapshot, never from the cursor.
package struct SyncPull: Sendable {
  /// The most changes in a page.
  package static let mostChanges = 1_000
  /// The most bytes of changes in a page; the change that exceeds them is the first of the next page.
  static let mostBytes = 1_048_576

  let services: Services
  let records: Records
  private let time: @Sendable (Instant) -> Instant

  /// - Parameter time: returns the time for the windows of devices, given that of the transaction; tests move it.
  package init(
    _ services: Services,
    _ records: Records,
    time: @escaping @Sendable (Instant) -> Instant = { $0 }
  ) {
    self.services = services
    self.records = records
    self.time = time
  }

  /// Returns the changes after a cursor.
  ///
  /// - Parameters:
  ///   - device: the device, which must be the actor's own.
  ///   - text: the cursor of the last page; nil to begin.
  ///   - limit: the number of changes, at most ``mostChanges``.
  /// - Throws: `not_found`, `device_revoked`, `client_outdated`; `resync_required` for a cursor from before a restore;
  ///   `invalid_input` for the cursor of another member.
  package func changes(
    _ acting: ActingContext,
    device id: UUID,
    after text: String?,
    limit: Int = mostChanges
  ) async throws -> PullPage {
    let given = try text.map { text throws(DomainError) in try SyncCursor(parsing: text) }
    let limit = min(max(limit, 1), Self.mostChanges)
    let (page, news) = try await records.explaining { try await attempt(acting, id, given, limit) }
    if let news {
      var options = TransactionOptions.inside(acting.company.id, user: acting.user)
      // A position that a crash loses is an earlier one, with which nothing is trimmed too soon.
      options.settings.append(.text("synchronous_commit", "off"))
      try await services.database.transaction(options) { tx in
        _ = try tx.execute(DeviceStore.pulled(company: acting.company.id, id: id, upTo: news))
      }
    }
    return page
  }

  /// Requires that the actor may synchronise at all, before their client waits for changes.
  ///
  /// - Throws: the error of an ended credential or of the company's status.
  package func requireAccess(_ acting: ActingContext) async throws {
    try await records.reading(acting) { _, rights in try rights.requireCompany(permits: .read) }
  }

  /// Reads a page.
  ///
  /// - Returns: the page, and the position to record for the device; nil if there is nothing new to record.
  private func attempt(_ acting: ActingContext, _ id: UUID, _ given: SyncCursor?, _ limit: Int) async throws
    -> (PullPage, Int64?)
  {
    let company = acting.company.id
    let (context, catalogue) = (acting.context(requestID: services.ids.next()), records.catalogue)
    var options = TransactionOptions.inside(company, user: acting.user, readOnly: true)
    options.isolation = .repeatableRead
    options.settings.append(.genericPlans)
    return try await services.denials.watching(context) {
      try await services.database.transaction(options) { tx in
        let (access, device, standing, wanted) = try tx.pipeline { pipeline in
          (
            AccessTicket(context, catalogue, &pipeline),
            pipeline.rows(DeviceStore.find(company: company, id: id), as: DeviceRow.self),
            pipeline.rows(FeedReader.standing(company: company), as: FeedStanding.self),
            pipeline.rows(SyncItemStore.wanted(company: company, device: id), Int64.self)
          )
        }
        guard let access = try access.first, let feed = try standing.first else {
          throw DomainError(.notFound, "there is no such company")
        }
        guard access.catalogueNumber == records.catalogue.number else { throw OutdatedCatalogue() }
        let rights = try Rights(acting, access)
        try rights.requireCompany(permits: .read)
        let row = try DeviceCheck(acting).require(device.first)
        let scopes = SyncScopes.allowed(rights, records.catalogue, app: row.app)
        try DeviceCheck(acting).require(
          schema: row.schemaVersion,
          of: scopes.map(\.type.name),
          records.catalogue
        )
        let rules =
          row.doneDays != nil || given?.window != nil
          ? DoneWindow(records.catalogue, company: company, device: id) : nil
        var reading = try PullReading(
          company: company,
          user: row.user,
          epoch: access.epoch,
          given,
          feed,
          scopes,
          records.catalogue,
          rules: rules,
          window: row.doneDays.flatMap { days in
            rules.map { PullWindow($0, days: days, now: time(access.now)) }
          }
        )
        try reading.read(limit, tx)
        reading.page.acknowledged = row.maxNo
        reading.page.wanted = try wanted.all
        if !reading.page.wanted.isEmpty { reading.page.isNews = true }
        let position = reading.cursor.complete
        let age = row.lastPullAt.map { access.now.microseconds - $0.microseconds }
        let isKnown = position == row.cursorSeq && age.map { $0 < 60_000_000 } == true
        return (reading.page, isKnown ? nil : position)
      }
    }
  }

  /// Returns the ids of the member's own records of a type, with which a device finds those that it has to drop.
  ///
  /// - Throws: `forbidden`, `unknown_type`.
  package func ownIDs(_ acting: ActingContext, type name: String, after: UUID?, limit: Int) async throws
    -> [UUID]
  {
    try await records.reading(acting) { tx, rights in
      let type = try records.catalogue.type(name)
      try rights.requireRead(type)
      guard let user = rights.user else { return [] }
      return try tx.rows(
        FeedReader.ids(of: type, company: acting.company.id, owner: user, after: after, limit: limit),
        UUID.self
      )
    }
  }
}
