internal import Domain
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The reading of one page of changes from one snapshot.
struct PullReading {
  let company: UUID
  private let user: UUID
  let feed: FeedStanding
  let scopes: [SyncScope]
  let given: SyncCursor?
  /// The window of a device that keeps work that is done for some days.
  var window: PullWindow?
  /// The records that were added, by type, whose references may name records that the device lacks.
  var added: [String: [UUID]] = [:]
  private var bytes = 0
  var cursor: SyncCursor
  var page: PullPage

  /// Compares the scopes of the cursor with those that the member may read now.
  ///
  /// - Parameters:
  ///   - given: the cursor; nil to begin.
  ///   - catalogue: the record types; some may have changed since the cursor.
  ///   - rules: tells which records a device with a window lacks; nil if it has none, and had none.
  ///   - window: the window of the device; nil for one that keeps everything.
  /// - Throws: `resync_required` for another epoch, `invalid_input` for the cursor of another member.
  init(
    company: UUID,
    user: UUID,
    epoch: UUID,
    _ given: SyncCursor?,
    _ feed: FeedStanding,
    _ scopes: [SyncScope],
    _ catalogue: TypeCatalogue,
    rules: DoneWindow? = nil,
    window: PullWindow? = nil
  ) throws(DomainError) {
    if let given {
      guard given.epoch == epoch else { throw SyncPush.restored }
      guard given.company == company, given.user == user else {
        throw DomainError(
          .invalidInput,
          "the cursor belongs to another member",
          hint: "pull without a cursor"
        )
      }
    }
    self.company = company
    self.user = user
    self.feed = feed
    self.scopes = scopes
    self.given = given
    page = PullPage(epoch: epoch)
    let old = given ?? SyncCursor(epoch: epoch, company: company, user: user)
    cursor = old
    cursor.scopes = scopes.map(\.key)
    cursor.partial = [:]
    cursor.begun = [:]
    cursor.catalogue = catalogue.number
    self.window = window
    cursor.window = self.window?.follow(old, isNew: given == nil)
    // What left the device under a narrower window has to come back, and the other way round.
    let isOther = self.window?.isRestarting ?? (old.window != nil)
    let floors = Dictionary(zip(feed.scopes, feed.floors)) { first, _ in first }
    for scope in scopes {
      var position = old.position(of: scope.key) ?? 0
      // Below the floor, the feed lacks deletions. After an upgrade of the app, it lacks columns that records have got.
      // So the scope starts again at 0, from where the feed has every live record.
      // A scope that began at 0 needs only the deletions of after its beginning.
      let isTrimmed = max(position, old.begun[scope.key] ?? 0) < floors[scope.name] ?? 0
      let isResent = isOther && rules.map { Self.isWindowed(scope, $0) } == true
      if position > 0, isResent || isTrimmed || old.catalogue < catalogue.resends[scope.type.name] ?? 0 {
        position = 0
        page.restarted.append(scope.key)
      }
      cursor.partial[scope.key] = position
      cursor.begun[scope.key] = position == 0 ? feed.checkpoint : old.begun[scope.key]
    }
    page.removed = old.scopes.filter { key in !scopes.contains { $0.key == key } }
  }

  /// Reads changes until the page is full, and moves the cursor.
  mutating func read(_ limit: Int, _ tx: Transaction) throws {
    guard try pass(limit, tx) else { return }
    let limit = max(1, limit - page.changes.count)
    let told = page.changes.count
    let open = scopes.filter { cursor.partial[$0.key, default: 0] < feed.checkpoint }
    var news: [String: Int] = [:]
    if !open.isEmpty {
      let found = try tx.pipeline { pipeline in
        pipeline.execute(FeedReader.ordered)
        return pipeline.rows(
          FeedReader.news(
            company: company,
            scopes: open.map(\.name),
            after: open.map { cursor.partial[$0.key] ?? 0 },
            most: limit + 1
          ),
          String.self,
          Int.self
        )
      }
      news = Dictionary(try found.all.map { ($0.0, $0.1) }) { first, _ in first }
    }
    var left = limit
    for scope in scopes {
      guard let count = news[scope.name] else {
        cursor.partial[scope.key] = nil
        continue
      }
      guard left > 0, bytes < SyncPull.mostBytes else {
        page.hasMore = true
        continue
      }
      let isWhole =
        if let window, Self.isWindowed(scope, window.rules) {
          try take(scope, left, in: window, tx)
        } else {
          try take(scope, min(count, left), of: count, tx)
        }
      left = limit + told - page.changes.count
      if isWhole { cursor.partial[scope.key] = nil } else { page.hasMore = true }
    }
    try addNamed(tx)
    cursor.begun = cursor.begun.filter { cursor.partial[$0.key] != nil }
    cursor.checkpoint = feed.checkpoint
    page.checkpoint = feed.checkpoint
    if !page.hasMore { try addDigests(tx) }
    page.cursor = cursor.text
    // The digest of own records tells of one that the member no longer owns, without a change in the page.
    let isMoved = !page.digests.isEmpty && given?.complete != cursor.complete
    page.isNews =
      given == nil || page.hasMore || isMoved || !page.changes.isEmpty || !page.removed.isEmpty
      || !page.restarted.isEmpty
  }

  /// Adds changes of a scope.
  ///
  /// - Returns: true if the scope has no more.
  private mutating func take(_ scope: SyncScope, _ limit: Int, of count: Int, _ tx: Transaction) throws
    -> Bool
  {
    let ticket = try tx.pipeline { pipeline in
      pipeline.execute(FeedReader.planned)
      return pipeline.rows(
        FeedReader.page(
          of: scope.type,
          company: company,
          scope: scope.name,
          after: cursor.partial[scope.key] ?? 0,
          limit: limit,
          owner: scope.ownOnly
        ),
        as: FeedRow.self
      )
    }
    let rows = try ticket.all
    return add(rows, scope) && rows.count == count
  }

  /// Adds changes of a scope without stale records.
  ///
  /// - Returns: true if the scope has no more.
  private mutating func take(_ scope: SyncScope, _ limit: Int, in window: PullWindow, _ tx: Transaction)
    throws
    -> Bool
  {
    let after = cursor.partial[scope.key] ?? 0
    let tickets = try tx.pipeline { pipeline in
      pipeline.execute(FeedReader.planned)
      return (
        rows: pipeline.rows(
          window.rules.page(
            of: scope.type,
            scope: scope.name,
            after: after,
            begun: cursor.begun[scope.key] ?? 0,
            at: window.time,
            limit: limit,
            most: Self.mostScanned
          ),
          as: FeedRow.self
        ),
        extent: pipeline.rows(
          window.rules.extent(scope: scope.name, after: after, most: Self.mostScanned),
          Int64?.self,
          Int.self
        )
      )
    }
    let rows = try tickets.rows.all
    guard add(rows, scope), rows.count < limit else { return false }
    guard let (last, count) = try tickets.extent.first, let last else { return true }
    cursor.partial[scope.key] = last
    return count < Self.mostScanned
  }

  /// Adds changes to the page, and moves the position of their scope.
  ///
  /// - Returns: false if the page is full.
  private mutating func add(_ rows: [FeedRow], _ scope: SyncScope) -> Bool {
    for (index, row) in rows.enumerated() {
      if let text = Self.text(row, scope) {
        guard bytes + text.utf8.count <= SyncPull.mostBytes || page.changes.isEmpty else { return false }
        page.changes.append(text)
        bytes += text.utf8.count
        // What a scope has from its beginning was named then, and is found by the scope of the other one.
        if window != nil, row.document != nil, row.seq > cursor.begun[scope.key] ?? 0 {
          added[scope.type.name, default: []].append(row.recordID)
        }
      }
      cursor.partial[scope.key] = row.seq
      if bytes >= SyncPull.mostBytes, index + 1 < rows.count { return false }
    }
    return true
  }

  /// Returns a change as a JSON object; nil if the member must not learn of it.
  static func text(_ row: FeedRow, _ scope: SyncScope) -> String? {
    // A member with the right to own records only learns nothing of other records.
    if scope.ownOnly != nil, row.isOwn != true { return nil }
    // If the member cannot see the record of a put, a later change hid or deleted it. A later page has that change.
    let operation: FeedChange.Operation =
      row.operation == .put && row.document == nil ? .leave : row.operation
    let scopeName = scope.key == scope.type.name ? "" : "\"scope\":\(JSONValue.string(scope.key).text),"
    var fields = operation == .put ? ",\"fields\":\(row.document?.text ?? "{}")" : ""
    if operation == .put, let files = row.files { fields += ",\"files\":\(files.text)" }
    return """
      {"seq":\(row.seq),\(scopeName)"type":\(JSONValue.string(scope.type.name).text),"id":"\(row.recordID.text)",\
      "op":"\(operation.rawValue)","version":\(row.version)\(fields)}
      """
  }

  private mutating func addDigests(_ tx: Transaction) throws {
    let own = scopes.filter { $0.ownOnly != nil }
    guard !own.isEmpty else { return }
    let tickets = try tx.pipeline { pipeline in
      own.map { scope in
        pipeline.rows(
          FeedReader.digest(of: scope.type, company: company, owner: user),
          Int64.self,
          Int64.self
        )
      }
    }
    for (scope, ticket) in zip(own, tickets) {
      guard let (count, checksum) = try ticket.first else { continue }
      let digits = String(UInt64(bitPattern: checksum), radix: 16)
      page.digests.append(
        PullPage.Digest(
          type: scope.type.name,
          count: count,
          checksum: String(repeating: "0", count: 16 - digits.count) + digits
        )
      )
    }
  }
}
