internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Store

/// The routes that tell a device of changes: the pull, which may wait for them, and the stream of hints.
extension SyncRoutes {
  /// The longest wait of a pull, in seconds. Proxies end requests that take a minute.
  private static let longestWait = 25

  var changes: Route {
    Route(
      .get,
      "/v1/sync/changes",
      Operation(
        "pullChanges",
        tag: Self.tag,
        "List the changes that a device does not have",
        parameters: [
          Operation.Parameter("device", "The device.", .uuid, isRequired: true),
          Operation.Parameter("cursor", "The cursor of the last answer; none to begin."),
          Operation.Parameter(
            "limit",
            "The number of changes. Default, and maximum: \(SyncPull.mostChanges).",
            .integer(minimum: 1)
          ),
          Operation.Parameter(
            "wait",
            "Seconds to wait for a change if there is none (default 0). A newer request of the device ends the wait.",
            .integer(minimum: 0, maximum: Int64(Self.longestWait))
          ),
        ],
        answers: [
          Operation.Answer(200, "A page of changes; without any if the wait is over.", SyncSchemas.page)
        ],
        errors: Self.pullErrors
      ),
      admission: .person
    ) { request in
      let query = StrictQuery(request)
      guard let device = try query.id("device") else {
        throw DomainError(.missingFields, "the parameter device is missing", details: ["fields": ["device"]])
      }
      let cursor = query.text("cursor")
      let limit = try query.limit(standard: SyncPull.mostChanges, maximum: SyncPull.mostChanges)
      let seconds = try query.seconds("wait", maximum: Self.longestWait)
      let acting = try request.acting()
      counting.pulled()
      func page() async throws -> PullPage {
        try await pull.changes(acting, device: device, after: cursor, limit: limit)
      }
      guard seconds > 0, cursor != nil, let caller = request.caller else {
        return .json(text: try await page().text)
      }
      return .json(text: try await newPage(caller, device, within: .seconds(seconds), request, page).text)
    }
  }

  /// Returns a page with news, or the last page when the wait is over.
  private func newPage(
    _ caller: Caller,
    _ device: UUID,
    within time: Duration,
    _ request: APIRequest,
    _ page: () async throws -> PullPage
  ) async throws -> PullPage {
    let end = ContinuousClock.now + time
    while true {
      // Before the pull: a change that the pull does not see is told afterwards.
      let left = max(.zero, end - .now)
      let wait = try hub.wait(Self.client(caller, .request(device: device)), for: left)
      defer { wait.leave() }
      let found = try await page()
      if found.isNews { return found }
      guard await request.waiting({ await wait.isHinted() }) else { return found }
    }
  }

  var events: Route {
    Route(
      .get,
      "/v1/sync/events",
      Operation(
        "streamHints",
        tag: Self.tag,
        """
        Tell a client when its company may have changes. An event `hint` has no data: pull after each. The first is \
        sent at once. The stream ends after about 15 minutes, with the session, and when the server stops; open it \
        again
        """,
        answers: [Operation.Answer(200, "Server-sent events.", mediaType: "text/event-stream")],
        errors: [.rateLimited]
      ),
      admission: .person,
      isEventStream: true
    ) { request in
      guard let caller = request.caller else { throw DomainError(.unauthenticated) }
      try await pull.requireAccess(caller.acting)
      return APIAnswer(
        headers: [
          "content-type": "text/event-stream", "cache-control": "no-store",
          // nginx would keep events back.
          "x-accel-buffering": "no",
        ],
        body: .events(try HintStream(hub, Self.client(caller, .stream)))
      )
    }
  }

  private static func client(_ caller: Caller, _ purpose: HintClient.Purpose) -> HintClient {
    HintClient(
      company: caller.acting.company.id,
      user: caller.user,
      session: caller.session,
      purpose: purpose
    )
  }
}
