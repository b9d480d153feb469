internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres
internal import Webhooks

/// The routes of the deliveries of a webhook.
extension WebhookRoutes {
  var deliveries: Route {
    Route(
      .get,
      "/v1/webhooks/{webhook}/deliveries",
      Operation(
        "listDeliveries",
        tag: "webhooks",
        "List delivery attempts of the last 30 days, newest first",
        parameters: StrictQuery.page + [
          Operation.Parameter("failed", "true for failed attempts only", .boolean),
          Operation.Parameter("job", "Attempts of one job only", .uuid),
        ],
        answers: [Operation.Answer(200, "A page of attempts", ListAnswer.schema(of: Self.attemptSchema))]
      )
    ) { request in
      let query = StrictQuery(request)
      let (limit, acting) = (try query.limit(), try request.acting())
      let id = try request.id("webhook")
      _ = try await webhooks.show(acting, id: id)
      let attempts = try await webhooks.deliveries(
        acting,
        of: id,
        job: try query.id("job"),
        failed: try query.flag("failed"),
        after: try query.text("after").map { try TimePlace(parsing: $0) },
        limit: limit + 1
      )
      let page = attempts.prefix(limit)
      let next = attempts.count > limit ? page.last.map { TimePlace(at: $0.at, id: $0.id).text } : nil
      return ListAnswer.page(page.map(Self.json), next: next, of: request)
    }
  }

  var redeliver: Route {
    Route(
      .post,
      "/v1/webhooks/{webhook}/deliveries/{attempt}/redeliver",
      Operation(
        "redeliver",
        tag: "webhooks",
        "Deliver the event of an attempt again, with the same idempotency key",
        answers: [Operation.Answer(202, "The job", .object([Schema.Member("job_id", .uuid)]))],
        errors: [.wrongState]
      )
    ) { request in
      let job = try await webhooks.redeliver(
        try request.acting(),
        attempt: try request.id("attempt"),
        of: try request.id("webhook")
      )
      return .json(["job_id": .string(job.text)], status: 202)
    }
  }

  var redeliverFailed: Route {
    Route(
      .post,
      "/v1/webhooks/{webhook}/redeliver",
      Operation(
        "redeliverFailed",
        tag: "webhooks",
        "Deliver again the events whose last attempt failed, at most 1,000 at a time",
        request: .object([Schema.Member("since", .time)]),
        answers: [
          Operation.Answer(
            202,
            "The number of events; another request may find more if it is not complete",
            .object([Schema.Member("events", .integer(minimum: 0)), Schema.Member("complete", .boolean)])
          )
        ],
        errors: [.wrongState]
      )
    ) { request in
      let body = try RequestMembers(request)
      let since = try body.given(body.optionalInstant("since"), "since")
      let count = try await webhooks.redeliverFailed(
        try request.acting(),
        of: try request.id("webhook"),
        since: since
      )
      return .json(
        ["events": .integer(count), "complete": .bool(count < WebhookAdministration.mostRedeliveries)],
        status: 202
      )
    }
  }

  private static func json(_ attempt: WebhookAttempt) -> JSONObject {
    [
      "id": .string(attempt.id.text), "at": .string(attempt.at.description), "event": .string(attempt.event),
      "outcome": JSONCell.text(attempt.outcome?.rawValue), "status": JSONCell.integer(attempt.status),
      "attempt": .integer(attempt.attempt), "ms": .integer(attempt.milliseconds),
      "reason": JSONCell.text(attempt.reason), "record_type": JSONCell.text(attempt.recordType),
      "record_id": JSONCell.id(attempt.recordID), "webhook": .string(attempt.webhook.text),
      "job": .string(attempt.job.text), "answer": JSONCell.text(attempt.answer),
    ]
  }

  private static let attemptSchema = Schema.object([
    Schema.Member("id", .uuid), Schema.Member("at", .time), Schema.Member("event", .string),
    Schema.Member("outcome", .nullable(.string)), Schema.Member("status", .nullable(.integer())),
    Schema.Member("attempt", .integer(minimum: 1)), Schema.Member("ms", .integer(minimum: 0)),
    Schema.Member("reason", .nullable(.string)), Schema.Member("record_type", .nullable(.string)),
    Schema.Member("record_id", .nullable(.uuid)), Schema.Member("webhook", .uuid),
    Schema.Member("job", .uuid),
    Schema.Member("answer", .nullable(.string)),
  ])
}
