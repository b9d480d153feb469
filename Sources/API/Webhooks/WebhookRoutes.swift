internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Webhooks

/// The routes of webhooks.
package struct WebhookRoutes: Sendable {
  let webhooks: WebhookAdministration
  private let services: Services
  private let allowsPrivate: Bool

  /// - Parameter allowsPrivate: true if the workers deliver to private networks, so that such addresses are accepted.
  package init(_ services: Services, allowsPrivate: Bool = false) {
    self.services = services
    self.allowsPrivate = allowsPrivate
    webhooks = WebhookAdministration(services)
  }

  package var routes: [Route] {
    [list, events, create, show, change, remove, test, rotate, deliveries, redeliver, redeliverFailed]
  }

  private var list: Route {
    Route(
      .get,
      "/v1/webhooks",
      Operation(
        "listWebhooks",
        tag: "webhooks",
        "List the webhooks, oldest first",
        answers: [Operation.Answer(200, "All webhooks", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      ListAnswer.page(try await webhooks.list(try request.acting()).map(Self.json))
    }
  }

  private var events: Route {
    Route(
      .get,
      "/v1/webhooks/events",
      Operation(
        "listWebhookEvents",
        tag: "webhooks",
        "List the events that webhooks can receive",
        answers: [
          Operation.Answer(
            200,
            "All events",
            ListAnswer.schema(of: .object([Schema.Member("event", .string)]))
          )
        ]
      )
    ) { request in
      try await CompanyAdministration(services).read(try request.acting(), permission: "webhook.read") {
        _,
        _ in
      }
      return ListAnswer.page(try await KnownNames(services).events().map { ["event": .string($0)] })
    }
  }

  private var create: Route {
    Route(
      .post,
      "/v1/webhooks",
      Operation(
        "createWebhook",
        tag: "webhooks",
        "Add a webhook; its secret is shown only here",
        request: .object([Schema.Member("url", .format("uri")), Schema.Member("events", .array(of: .string))]
        ),
        answers: [
          Operation.Answer(
            201,
            "The id and the secret, in hexadecimal",
            .object([Schema.Member("id", .uuid), Schema.Member("secret", .string)])
          )
        ]
      )
    ) { request in
      let body = try RequestMembers(request)
      let url = try body.text("url")
      let acting = try request.acting()
      // The address is resolved for callers who may add webhooks only: others could use the route to look up hosts.
      try await webhooks.requireUpdate(acting)
      try await requireReachable(url)
      let added = try await webhooks.add(
        acting,
        url: url,
        events: try body.optionalTexts("events") ?? [],
        fault: Webhook.fault(in:)
      )
      return .json(["id": .string(added.id.text), "secret": .string(added.secret)], status: 201)
    }
  }

  private var show: Route {
    Route(
      .get,
      "/v1/webhooks/{webhook}",
      Operation(
        "showWebhook",
        tag: "webhooks",
        "Show a webhook and whether its receiver fails",
        answers: [Operation.Answer(200, "The webhook", Self.schema)]
      )
    ) { request in
      .json(Self.json(try await webhooks.show(try request.acting(), id: try request.id("webhook"))))
    }
  }

  private var change: Route {
    Route(
      .patch,
      "/v1/webhooks/{webhook}",
      Operation(
        "changeWebhook",
        tag: "webhooks",
        "Change the address or the events, or switch a webhook off or on",
        request: .object([
          .optional("url", .format("uri")), .optional("events", .array(of: .string)),
          .optional("active", .boolean),
        ]),
        answers: [Operation.Answer(204, "The webhook was changed")]
      )
    ) { request in
      let body = try RequestMembers(request)
      let (id, acting) = (try request.id("webhook"), try request.acting())
      let url = try body.optionalText("url")
      if let url {
        try await webhooks.requireUpdate(acting)
        try await requireReachable(url)
      }
      try await webhooks.change(
        acting,
        id: id,
        url: url,
        events: try body.optionalTexts("events"),
        isActive: try body.optionalBool("active"),
        fault: Webhook.fault(in:)
      )
      return .noContent
    }
  }

  private var remove: Route {
    Route(
      .delete,
      "/v1/webhooks/{webhook}",
      Operation(
        "removeWebhook",
        tag: "webhooks",
        "Remove a webhook",
        answers: [Operation.Answer(204, "The webhook was removed")]
      )
    ) { request in
      try await webhooks.remove(try request.acting(), id: try request.id("webhook"))
      return .noContent
    }
  }

  private var test: Route {
    Route(
      .post,
      "/v1/webhooks/{webhook}/test",
      Operation(
        "testWebhook",
        tag: "webhooks",
        "Enqueue a test event; its deliveries show the result",
        answers: [Operation.Answer(202, "The job", .object([Schema.Member("job_id", .uuid)]))]
      )
    ) { request in
      let job = try await webhooks.test(try request.acting(), id: try request.id("webhook"))
      return .json(["job_id": .string(job.text)], status: 202)
    }
  }

  private var rotate: Route {
    Route(
      .post,
      "/v1/webhooks/{webhook}/rotate",
      Operation(
        "rotateWebhook",
        tag: "webhooks",
        "Replace the secret; for 24 hours, deliveries are signed with both",
        answers: [
          Operation.Answer(
            200,
            "The new secret, in hexadecimal, and the end of the previous one",
            .object([Schema.Member("secret", .string), Schema.Member("previous_until", .time)])
          )
        ]
      )
    ) { request in
      let rotated = try await webhooks.rotate(try request.acting(), id: try request.id("webhook"))
      return .json([
        "secret": .string(rotated.secret), "previous_until": .string(rotated.previousUntil.description),
      ])
    }
  }

  /// Refuses an address to which no worker may deliver.
  private func requireReachable(_ url: String) async throws {
    guard Webhook.fault(in: url) == nil else { return }
    switch try await Destination.resolve(url) {
    case .open, .unresolved: return
    case .isPrivate where allowsPrivate: return
    // The message has no address, which would tell a network's inner names.
    case .isPrivate, .closed:
      throw DomainError(
        .invalidInput,
        "the address cannot be used: webhooks do not reach its network",
        hint: "use a public address"
      )
    }
  }

  private static func json(_ hook: WebhookRow) -> JSONObject {
    [
      "id": .string(hook.id.text), "url": .string(hook.url), "events": .strings(hook.events),
      "active": .bool(hook.isActive), "circuit": .string(hook.openSince == nil ? "closed" : "open"),
      "failures": .integer(hook.failures), "reason": JSONCell.text(hook.reason),
      "open_since": JSONCell.time(hook.openSince), "retry_at": JSONCell.time(hook.retryAt),
      "previous_secret_until": JSONCell.time(hook.previousUntil),
      "created_at": .string(hook.createdAt.description),
    ]
  }

  private static let schema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("url", .string), Schema.Member("events", .array(of: .string)),
    Schema.Member("active", .boolean), Schema.Member("circuit", .enumeration(["closed", "open"])),
    Schema.Member("failures", .integer(minimum: 0)), Schema.Member("reason", .nullable(.string)),
    Schema.Member("open_since", .nullable(.time)), Schema.Member("retry_at", .nullable(.time)),
    Schema.Member("previous_secret_until", .nullable(.time)), Schema.Member("created_at", .time),
  ])
}
