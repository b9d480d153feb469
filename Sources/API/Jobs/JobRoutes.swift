internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of a company's jobs.
package struct JobRoutes: Sendable {
  private let jobs: JobAdministration

  package init(_ services: Services) {
    jobs = JobAdministration(services)
  }

  package var routes: [Route] {
    [
      list, show, perform(.retry, "retryJob", "Retry a dead or cancelled job, or run a retrying one now"),
      perform(.cancel, "cancelJob", "Cancel a waiting or running job"),
    ]
  }

  private var list: Route {
    Route(
      .get,
      "/v1/jobs",
      Operation(
        "listJobs",
        tag: "jobs",
        "List jobs, newest first",
        parameters: StrictQuery.page + [
          Operation.Parameter("state", "State", .enumeration(JobState.allCases.map(\.rawValue))),
          Operation.Parameter("kind", "Kind, such as webhook.deliver"), Operation.Parameter("queue", "Queue"),
        ],
        answers: [Operation.Answer(200, "A page of jobs", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      let query = StrictQuery(request)
      let filter = JobFilter(
        state: try query.text("state").map { try JobFilter.state($0) },
        kind: query.text("kind"),
        queue: query.text("queue")
      )
      let place = try query.text("after").map { try JobPlace(parsing: $0) } ?? JobPlace()
      let page = try await jobs.list(try request.acting(), filter, after: place, limit: try query.limit())
      let errors = try await jobs.lastErrors(of: page.jobs)
      return ListAnswer.page(
        page.jobs.map { job in
          var json = Self.json(job)
          json["last_error"] = JSONCell.text(errors[job.id])
          return json
        },
        next: page.next?.text,
        of: request
      )
    }
  }

  private var show: Route {
    Route(
      .get,
      "/v1/jobs/{job}",
      Operation(
        "showJob",
        tag: "jobs",
        "Show a job with its attempts and notes",
        answers: [Operation.Answer(200, "The job", Self.detailSchema)]
      )
    ) { request in
      let detail = try await jobs.show(try request.acting(), id: try request.id("job"))
      var json = Self.json(detail.job)
      json["progress"] = Self.number(detail.progress)
      json["payload"] = try detail.payload?.value() ?? .null
      json["attempts"] = .array(
        detail.attempts.map { attempt in
          [
            "attempt": .integer(attempt.attempt), "outcome": JSONCell.text(attempt.outcome?.rawValue),
            "started_at": .string(attempt.startedAt.description),
            "finished_at": JSONCell.time(attempt.finishedAt),
            "error": JSONCell.text(attempt.error),
          ]
        }
      )
      json["notes"] = .array(
        detail.notes.map { note in
          [
            "at": .string(note.at.description), "attempt": .integer(note.attempt),
            "done": Self.number(note.done), "text": JSONCell.text(note.text),
          ]
        }
      )
      return .json(json)
    }
  }

  private func perform(_ action: JobAction, _ id: String, _ summary: String) -> Route {
    Route(
      .post,
      "/v1/jobs/{job}/\(action.name)",
      Operation(
        id,
        tag: "jobs",
        summary,
        answers: [Operation.Answer(204, "The job was \(action.done)")],
        errors: [.wrongState]
      )
    ) { request in
      try await jobs.perform(action, try request.acting(), id: try request.id("job"))
      return .noContent
    }
  }

  private static func number(_ number: Double?) -> JSONValue {
    number.flatMap { try? ExactDecimal(parsing: "\($0)") }.map { .number($0) } ?? .null
  }

  private static func json(_ job: JobRow) -> JSONObject {
    [
      "id": .string(job.id.text), "kind": .string(job.kind), "queue": .string(job.queue),
      "state": .string(job.state.rawValue), "attempt": .integer(job.attempt),
      "max_attempts": .integer(job.maxAttempts), "created_at": .string(job.createdAt.description),
      "run_at": .string(job.runAt.description), "finished_at": JSONCell.time(job.finishedAt),
    ]
  }

  private static let members = [
    Schema.Member("id", .uuid), Schema.Member("kind", .string), Schema.Member("queue", .string),
    Schema.Member("state", .enumeration(JobState.allCases.map(\.rawValue))),
    Schema.Member("attempt", .integer(minimum: 0)), Schema.Member("max_attempts", .integer(minimum: 1)),
    Schema.Member("created_at", .time), Schema.Member("run_at", .time),
    Schema.Member("finished_at", .nullable(.time)),
  ]

  private static let schema = Schema.object(members + [Schema.Member("last_error", .nullable(.string))])

  private static let detailSchema = Schema.object(
    members + [
      Schema.Member("progress", .nullable(.number)), Schema.Member("payload", .nullable(.anyObject)),
      Schema.Member(
        "attempts",
        .array(
          of: .object([
            Schema.Member("attempt", .integer(minimum: 0)), Schema.Member("outcome", .nullable(.string)),
            Schema.Member("started_at", .time), Schema.Member("finished_at", .nullable(.time)),
            Schema.Member("error", .nullable(.string)),
          ])
        )
      ),
      Schema.Member(
        "notes",
        .array(
          of: .object([
            Schema.Member("at", .time), Schema.Member("attempt", .integer(minimum: 0)),
            Schema.Member("done", .nullable(.number)), Schema.Member("text", .nullable(.string)),
          ])
        )
      ),
    ]
  )
}
