internal import Domain
package import Engine
internal import FoundationEssentials
internal import Postgres
internal import Store

/// The routes of a company's schedules.
package struct ScheduleRoutes: Sendable {
  private let schedules: Schedules

  package init(_ services: Services) {
    schedules = Schedules(services)
  }

  package var routes: [Route] { [list, run, pause, resume] }

  private var list: Route {
    Route(
      .get,
      "/v1/schedules",
      Operation(
        "listSchedules",
        tag: "jobs",
        "List the schedules with their next and last run",
        answers: [Operation.Answer(200, "All schedules", ListAnswer.schema(of: Self.schema))]
      )
    ) { request in
      ListAnswer.page(
        try await schedules.list(try request.acting()).map { schedule in
          [
            "name": .string(schedule.name), "cron": .string(schedule.cron),
            "timezone": .string(schedule.timeZone),
            "state": .string(schedule.isHeld ? "held" : schedule.pausedAt == nil ? "active" : "paused"),
            "next_at": JSONCell.time(schedule.nextAt), "last_at": JSONCell.time(schedule.lastAt),
            "last_job_id": JSONCell.id(schedule.lastJob), "app": .string(schedule.app),
            "kind": .string(schedule.kind),
          ]
        }
      )
    }
  }

  private var run: Route {
    Route(
      .post,
      "/v1/schedules/{schedule}/run",
      Operation(
        "runSchedule",
        tag: "jobs",
        "Enqueue the job of a schedule now",
        answers: [Operation.Answer(202, "The job", .object([Schema.Member("job_id", .uuid)]))]
      )
    ) { request in
      let job = try await schedules.run(try request.acting(), name: try request.parameter("schedule"))
      return .json(["job_id": .string(job.text)], status: 202)
    }
  }

  private var pause: Route {
    Route(
      .post,
      "/v1/schedules/{schedule}/pause",
      Operation(
        "pauseSchedule",
        tag: "jobs",
        "Pause a schedule; its due times are skipped",
        answers: [Operation.Answer(204, "The schedule is paused")],
        errors: [.wrongState]
      )
    ) { request in
      try await schedules.pause(try request.acting(), name: try request.parameter("schedule"))
      return .noContent
    }
  }

  private var resume: Route {
    Route(
      .post,
      "/v1/schedules/{schedule}/resume",
      Operation(
        "resumeSchedule",
        tag: "jobs",
        "Resume a paused schedule",
        answers: [Operation.Answer(204, "The schedule is active")],
        errors: [.wrongState]
      )
    ) { request in
      try await schedules.resume(try request.acting(), name: try request.parameter("schedule"))
      return .noContent
    }
  }

  private static let schema = Schema.object([
    Schema.Member("name", .string), Schema.Member("cron", .string), Schema.Member("timezone", .string),
    Schema.Member("state", .enumeration(["active", "paused", "held"])),
    Schema.Member("next_at", .nullable(.time)),
    Schema.Member("last_at", .nullable(.time)), Schema.Member("last_job_id", .nullable(.uuid)),
    Schema.Member("app", .string), Schema.Member("kind", .string),
  ])
}
