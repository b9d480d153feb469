internal import API
internal import Apps
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Postgres

/// The routes that phones call, with the names of their brief: `GET /current_readings` and `POST /record`.
struct ReadingRoutes {
  private let energy: Energy
  private let records: Records

  init(_ services: Services, _ records: Records) {
    energy = Energy(services)
    self.records = records
  }

  var routes: [Route] { [current, record, hours] }

  private var hours: Route {
    Route(
      .get,
      "/v1/solar/hours",
      Operation(
        "solarHours",
        tag: "solar",
        "Show the energy of a site in each hour of a day: 24, or 23 or 25 when the clocks change",
        parameters: [
          Self.site, Operation.Parameter("date", "The day on the clocks of the site (default: today)", .date),
        ],
        answers: [Operation.Answer(200, "The hours, in order", Self.day)],
        errors: [.notFound, .invalidDate]
      )
    ) { request in
      let query = StrictQuery(request)
      let day = try query.text("date").map { try LocalDate(parsing: $0) }
      let found = try await energy.hours(try request.acting(), site: query.text("site"), on: day)
      let hours = try found.hours.map { hour -> JSONValue in
        let kwh = try hour.kwh.map { JSONValue.number(try ExactDecimal(parsing: $0)) }
        let peak = try hour.peakKW.map { JSONValue.number(try ExactDecimal(parsing: $0)) }
        return [
          "starts_at": .string(hour.startsAt.rfc3339), "local_time": .string(hour.localTime),
          "offset": .string(hour.offset), "kwh": kwh ?? .null, "peak_kw": peak ?? .null,
        ]
      }
      return .json(
        ["site": .string(found.site.text), "date": .string("\(found.day)"), "hours": .array(hours)]
      )
    }
  }

  private var current: Route {
    Route(
      .get,
      "/current_readings",
      Operation(
        "currentReadings",
        tag: "solar",
        "Show the newest power and meter reading of a site",
        parameters: [
          Self.site,
          Operation.Parameter(
            "If-None-Match",
            in: .header,
            "ETag of an earlier answer; 304 if it is the same"
          ),
        ],
        answers: [
          Operation.Answer(200, "The readings", Self.schema),
          Operation.Answer(304, "The readings did not change; their age is ignored"),
        ],
        errors: [.noReading]
      )
    ) { request in
      let name = StrictQuery(request).text("site")
      let reading = try await energy.live(try request.acting(), site: name)
      let json: JSONObject = [
        "inverter_reading": .number(try ExactDecimal(parsing: reading.inverterReading)),
        "meter_reading": .number(try ExactDecimal(parsing: reading.meterReading)),
        "timestamp": .string(reading.timestamp.description), "age_seconds": .integer(reading.ageSeconds),
        "stale": .bool(reading.isStale),
      ]
      return DigestTag.answer(json, without: ["age_seconds"], site: reading.site.text, to: request)
    }
  }

  private var record: Route {
    Route(
      .post,
      "/record",
      Operation(
        "record",
        tag: "solar",
        "Record a reading; a repeated request returns the first recording",
        parameters: [Self.site],
        request: .object([
          .optional(
            "value",
            .raw(["type": ["number", "string"]]),
            "Reading, at least 0; without it, the newest sample of at most two minutes"
          ),
          Schema.Member("type", .enumeration(["manual", "auto", "auto_push"])),
          Schema.Member("timestamp", .time),
          .optional("quantity", .enumeration(Quantity.allCases.map(\.rawValue)), "Default: power"),
          .optional("unit", .enumeration(Quantity.allCases.map(\.unit)), "kW or kWh"),
        ]),
        answers: [
          Operation.Answer(201, "The new recording", Self.recorded),
          Operation.Answer(200, "The recording of an earlier request", Self.recorded),
        ],
        errors: [.notFound, .alreadyExists, .badTimestamp, .invalidNumber, .staleReading, .wrongState]
      )
    ) { request in
      let name = StrictQuery(request).text("site")
      let body = try RequestMembers(request)
      let recording = try PhoneRecording(
        value: body.members["value"],
        type: try body.text("type"),
        timestamp: try body.text("timestamp"),
        quantity: try body.optionalText("quantity"),
        unit: try body.optionalText("unit")
      )
      let acting = try request.acting()
      let site = try await energy.siteToRecord(acting, named: name)
      let (id, isNew) = try await recording.store(acting, site: site, records)
      return .json(["success": true, "id": .string(id.text)], status: isNew ? 201 : 200)
    }
  }

  private static let site = Operation.Parameter(
    "site",
    "Name or id of the site; may be left out if the company has one"
  )

  private static let schema = Schema.object([
    Schema.Member("inverter_reading", .number, "Power in kW"),
    Schema.Member("meter_reading", .number, "Meter reading in kWh"), Schema.Member("timestamp", .time),
    Schema.Member("age_seconds", .integer(minimum: 0)),
    Schema.Member("stale", .boolean, "True if a reading is more than two minutes old"),
  ])

  private static let day = Schema.object([
    Schema.Member("site", .uuid), Schema.Member("date", .date),
    Schema.Member(
      "hours",
      .array(
        of: .object([
          Schema.Member("starts_at", .time),
          Schema.Member("local_time", .string, "Such as 02:00; twice on the day that has the hour twice"),
          Schema.Member("offset", .string, "Of the site's clocks from UTC, such as +02:00"),
          Schema.Member("kwh", .nullable(.number), "Null for an hour that no readings cover"),
          Schema.Member("peak_kw", .nullable(.number)),
        ])
      )
    ),
  ])

  private static let recorded = Schema.object([
    Schema.Member("success", .boolean), Schema.Member("id", .uuid),
  ])
}
