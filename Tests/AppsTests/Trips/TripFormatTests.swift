import Apps
import Domain
import Testing

@Suite struct TripFormatTests {
  private static let plan: JSONObject = [
    "id": "00000000-0000-4000-8000-000000000001", "title": "Lofoten, in winter",
    "destination": "Reine; Norway",
    "summary":
      "Snow & light\nand a very long line that a calendar has to fold because it has more than 75 octets, ø",
    "starts_on": "2026-02-10", "ends_on": "2026-02-12", "version": 3,
    "updated_at": "2026-01-02T03:04:05.678Z",
  ]
  private static var stops: [JSONObject] {
    get throws {
      let text = """
        [{ "id": "00000000-0000-4000-8000-000000000002", "day_no": 1, "visit_on": "2026-02-10",
           "name": "Hamnøy <bridge>", "lat": 67.944300, "lon": 13.134200, "best_light": "blue_hour",
           "notes": "Tripod; crampons", "version": 1, "updated_at": "2026-01-02T03:04:05Z" },
         { "id": "00000000-0000-4000-8000-000000000003", "day_no": 3, "visit_on": "2026-02-12",
           "name": "Somewhere", "version": 2, "updated_at": "2026-01-03T03:04:05Z" }]
        """
      return try JSONValue(parsing: text).array?.compactMap(\.object) ?? []
    }
  }

  @Test func `a calendar has the trip over its days and each stop on its own`() throws {
    let text = try TripFormat.ics.text(TripDocument(plan: Self.plan, stops: Self.stops))
    let lines = text.replacing("\r\n ", with: "").split(separator: "\r\n").map(String.init)
    #expect(lines.first == "BEGIN:VCALENDAR" && lines.last == "END:VCALENDAR")
    #expect(lines.count { $0 == "BEGIN:VEVENT" } == 3)
    #expect(lines.contains("SUMMARY:Lofoten\\, in winter"))
    #expect(lines.contains("LOCATION:Reine\\; Norway"))
    #expect(
      lines.contains { $0.hasPrefix("DESCRIPTION:Snow & light\\nand a very long line") && $0.hasSuffix("ø") }
    )
    #expect(lines.contains("DTSTART;VALUE=DATE:20260210"))
    #expect(lines.contains("DTEND;VALUE=DATE:20260213"), "the day after the last")
    #expect(lines.contains("GEO:67.9443;13.1342"))
    #expect(lines.contains("DESCRIPTION:Tripod\\; crampons\\nBest light: blue hour"))
    #expect(lines.contains("DTSTAMP:20260103T030405Z"))
    #expect(lines.contains("UID:00000000-0000-4000-8000-000000000003@trips.fettle"))
    #expect(text.split(separator: "\r\n").allSatisfy { $0.utf8.count <= 75 })
  }

  @Test func `a trip without a first day is in no calendar`() throws {
    var plan = Self.plan
    plan["starts_on"] = .null
    let trip = try TripDocument(plan: plan, stops: Self.stops)
    let error = #expect(throws: DomainError.self) { try TripFormat.ics.text(trip) }
    #expect(error?.code == .missingFields)
    #expect(try TripFormat.geojson.text(trip).contains("Hamn"))
  }

  @Test func `a map has the stops whose place is known, longitude first where the format wants it`() throws {
    let trip = try TripDocument(plan: Self.plan, stops: Self.stops)
    let json = try JSONValue(parsing: TripFormat.geojson.text(trip)).object ?? [:]
    #expect(json["type"] == "FeatureCollection")
    let feature = try #require(json["features"]?.array?.first?.object)
    #expect(json["features"]?.array?.count == 1)
    #expect(
      feature["geometry"]?.object?["coordinates"]?.array?.compactMap(\.number) == [
        try Self.number("13.1342"), try Self.number("67.9443"),
      ]
    )
    let gpx = try TripFormat.gpx.text(trip)
    #expect(gpx.contains(#"<wpt lat="67.9443" lon="13.1342"><name>Hamnøy &lt;bridge&gt;</name>"#))
    #expect(gpx.contains("<rte><name>Day 1</name>"))
    let kml = try TripFormat.kml.text(trip)
    #expect(kml.contains("<coordinates>13.1342,67.9443</coordinates>"))
  }

  private static func number(_ text: String) throws -> ExactDecimal { try ExactDecimal(parsing: text) }
}
