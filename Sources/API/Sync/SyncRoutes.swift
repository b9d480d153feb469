package import Domain
package import Engine
internal import FoundationEssentials
internal import Store

/// The routes of synchronisation: devices send the changes that they made offline, and get those of others.
package struct SyncRoutes: Sendable {
  let push: SyncPush
  let pull: SyncPull
  let review: SyncReview
  let devices: Devices
  let hub: HintHub
  let counting: SyncCounting

  /// - Parameters:
  ///   - records: the use cases, which all routes of a process share.
  ///   - hub: the clients of the process that wait for changes.
  ///   - time: returns the time for the windows of devices, given the present one; tests move it.
  package init(
    _ services: Services,
    _ records: Records,
    hub: HintHub,
    counting: SyncCounting = SyncCounting(),
    time: @escaping @Sendable (Instant) -> Instant = { $0 }
  ) {
    self.hub = hub
    self.counting = counting
    push = SyncPush(services, records)
    pull = SyncPull(services, records, time: time)
    review = SyncReview(services, records)
    devices = Devices(services, records)
  }

  static let tag = "sync"

  package var routes: [Route] {
    deviceRoutes + [send, changes, exchange, known, ownIDs] + reviewRoutes + [events]
  }

  private var send: Route {
    Route(
      .post,
      "/v1/sync/push",
      Operation(
        "pushChanges",
        tag: Self.tag,
        "Send the changes that a device made offline",
        request: SyncSchemas.push,
        answers: [Operation.Answer(200, "A judgement on each change, in order.", SyncSchemas.pushed)],
        errors: Self.pushErrors
      ),
      // Devices have sessions. A token with few scopes must not see what its owner's devices hold.
      admission: .person
    ) { request in
      let envelope = try PushEnvelope(try request.changes())
      let answer = try await push.push(try request.acting(), envelope)
      counting.pushed(answer)
      return .json(SyncJSON.pushed(answer))
    }
  }

  private var exchange: Route {
    Route(
      .post,
      "/v1/sync/exchange",
      Operation(
        "exchangeChanges",
        tag: Self.tag,
        "Send a device's changes, then list those that it does not have",
        request: SyncSchemas.exchange,
        answers: [
          Operation.Answer(
            200,
            "The judgements, and a page of changes.",
            .object([Schema.Member("push", SyncSchemas.pushed), Schema.Member("changes", SyncSchemas.page)])
          )
        ],
        errors: Self.pushErrors + Self.pullErrors
      ),
      admission: .person
    ) { request in
      let body = try RequestMembers(request.changes(), request.schema, longestText: 65_536)
      let object = try body.given(body.optionalObject("push"), "push")
      let cursor = try body.optionalText("cursor")
      let limit = try body.optionalInteger("limit") ?? SyncPull.mostChanges
      let envelope = try PushEnvelope(object)
      let acting = try request.acting()
      let answer = try await push.push(acting, envelope)
      counting.pushed(answer)
      let pushed = SyncJSON.pushed(answer)
      let page = try await pull.changes(acting, device: envelope.device, after: cursor, limit: limit)
      counting.pulled()
      return .json(text: "{\"push\":\(JSONValue.object(pushed).text),\"changes\":\(page.text)}")
    }
  }

  private var known: Route {
    Route(
      .post,
      "/v1/sync/known",
      Operation(
        "knownChanges",
        tag: Self.tag,
        "List those of a device's changes that the server has judged",
        request: .object([
          Schema.Member("device_id", .uuid),
          Schema.Member("nos", .array(of: .integer(SyncBounds.numbers), maximum: 10_000)),
        ]),
        answers: [
          Operation.Answer(
            200,
            "The numbers.",
            .object([Schema.Member("nos", .array(of: .integer(minimum: 1)))])
          )
        ],
        errors: [.notFound, .deviceRevoked]
      ),
      admission: .person
    ) { request in
      let members = try RequestMembers(request)
      let device = try members.id("device_id")
      let nos = try members.numbers("nos", most: 10_000)
      let judged = try await review.known(try request.acting(), device: device, nos: nos)
      return .json(["nos": .array(judged.map { .integer($0) })])
    }
  }

  private var ownIDs: Route {
    Route(
      .get,
      "/v1/sync/ids",
      Operation(
        "listOwnIDs",
        tag: Self.tag,
        "List the ids of the caller's own records of a type",
        parameters: [
          Operation.Parameter("type", "The type.", isRequired: true),
          Operation.Parameter("after", "The last id of the previous page.", .uuid),
        ],
        answers: [
          Operation.Answer(
            200,
            "A page of ids.",
            .object([Schema.Member("ids", .array(of: .uuid)), Schema.Member("has_more", .boolean)])
          )
        ],
        errors: [.unknownType, .missingFields]
      ),
      admission: .person
    ) { request in
      let query = StrictQuery(request)
      guard let type = query.text("type") else {
        throw DomainError(.missingFields, "the parameter type is missing", details: ["fields": ["type"]])
      }
      let most = 10_000
      let ids = try await pull.ownIDs(
        try request.acting(),
        type: type,
        after: try query.id("after"),
        limit: most + 1
      )
      return .json(["ids": .strings(ids.prefix(most).map(\.text)), "has_more": .bool(ids.count > most)])
    }
  }

  private static let pushErrors: [ErrorCode] = [
    .notFound, .deviceRevoked, .deviceCloned, .resyncRequired, .clientOutdated, .invalidID, .invalidNumber,
    .invalidInstant, .quotaExceeded,
  ]
  static let pullErrors: [ErrorCode] = [.notFound, .deviceRevoked, .resyncRequired, .clientOutdated]
}
