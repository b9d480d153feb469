internal import GRDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Sign-in and sign-out.
extension Client {
  /// True if somebody is signed in. The server may have ended the session.
  public var isSignedIn: Bool { get async { await keeper.isSignedIn } }

  /// The number of changes and files that a sign-out would lose.
  public var unsynced: Int {
    get async throws { try await store.read { db in try Outbox(db).unsynced + Uploads(db).unsynced } }
  }

  /// Signs in. The same user continues with the store, and so does a visitor who signs in to an account or creates one;
  /// for another user or company it is emptied.
  ///
  /// - Throws: ``ClientError`` with the kind `signInRefused`; `otherAccount` if changes of another user or company
  ///   wait, which only ``signOut(discarding:)`` can lose.
  public func signIn(_ way: SignIn) async throws -> SignIn.Result {
    var way = way
    way.members["device_id"] = .string(try await device.uuidString.lowercased())
    way.members["device_name"] = .string(configuration.deviceName)
    if way.claims, try await store.read({ db in try Cursors(db).isVisitor }), let token = await keeper.access
    {
      way.members["visitor"] = .string(token)
    }
    let response = try await keeper.sendOpenly(Request(.post, way.path, json: way.members))
    guard response.isSuccess else { throw Self.refusal(response.problem) }
    let session = try response.json()
    if response.status == 202, let token = session["step_token"]?.string {
      return .secondFactor(stepToken: token)
    }
    guard let user = session["user"]?.string, let company = session["company"]?["slug"]?.string else {
      throw ClientError(.invalidAnswer, "the answer to the sign-in names no user and company")
    }
    let tokens = try TokenKeeper.tokens(in: session, now: configuration.now())
    let isVisitor = session["kind"]?.string == "visitor"
    let isOther = try await store.write { db in
      let cursors = Cursors(db)
      let owner = try cursors.owner
      // Only the person who claimed the visitor's company can enter it.
      let hasClaimed = try cursors.isVisitor && owner?.company == company && owner?.user != user
      let isOther = !hasClaimed && owner.map { $0.user != user || $0.company != company } ?? false
      let waiting = try Outbox(db).unsynced + Uploads(db).unsynced
      guard !isOther || waiting == 0 else {
        throw ClientError(
          .otherAccount(unsynced: waiting),
          "\(waiting) changes of another account wait on this device",
          hint: "sign in with that account and synchronise, or sign out and discard them"
        )
      }
      if isOther { try Self.clear(db) }
      if hasClaimed {
        // The device is the person's now, and so are the records, under another scope.
        try cursors.setRegistration(nil)
        try cursors.restart(isRestored: false)
      }
      try cursors.setOwner(user: user, company: company, isVisitor: isVisitor)
      return isOther
    }
    if isOther { try store.removeFiles() }
    try await keeper.replace(tokens)
    wake()
    return .signedIn
  }

  /// Signs out, and removes everything of the user from this device.
  ///
  /// - Parameter discarding: true to lose changes that were not synchronised.
  /// - Throws: ``ClientError`` with the kind `unsynced` if changes or files wait.
  public func signOut(discarding: Bool = false) async throws {
    let waiting = try await unsynced
    guard waiting == 0 || discarding else {
      throw ClientError(
        .unsynced(waiting),
        waiting == 1 ? "1 change is not synchronised" : "\(waiting) changes are not synchronised",
        hint: "synchronise and decide about conflicts first, or discard the changes"
      )
    }
    if await keeper.isSignedIn {
      let id = try await device.uuidString.lowercased()
      // The session ends by itself if the server cannot be reached.
      _ = try? await keeper.send(Request(.delete, "/v1/sync/devices/\(id)"))
      _ = try? await keeper.send(Request(.post, "/v1/auth/sign-out"))
    }
    try await keeper.replace(nil)
    try await store.write { db in
      // A change may have been made meanwhile.
      guard try discarding || Outbox(db).unsynced == 0 else {
        throw ClientError(.unsynced(try Outbox(db).unsynced), "changes were made during the sign-out")
      }
      try Self.clear(db)
    }
    try store.removeFiles()
  }

  /// Removes everything; the store becomes that of a new device.
  private static func clear(_ db: Database) throws {
    for table in ["setting", "record", "draft", "change", "file", "dropped_scope"] {
      try db.execute(sql: "delete from \(table)")
    }
  }

  private static func refusal(_ problem: Problem) -> ClientError {
    let error = problem.error
    guard (400..<500).contains(problem.status), problem.status != 429 else { return error }
    return ClientError(.signInRefused, error.message, hint: error.hint)
  }
}
