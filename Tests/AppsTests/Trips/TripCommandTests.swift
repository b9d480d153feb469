import EndToEndFixtures
import Foundation
import TestDatabase
import Testing

/// Trips at the command line, from a conversation to a calendar.
@Suite(.serialized, .timeLimit(.minutes(60))) struct TripCommandTests {
  @Test func `a trip is planned, shared, exported and nobody else's`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user", "bea": "user"])
      #expect(try await shell.fettle("trip", "list").status == 4)
      try await shell.done(
        "trip",
        "add",
        "Lofoten",
        "--from",
        "2026-02-10",
        "--to",
        "2026-02-12",
        "--as",
        "ana@acme"
      )
      try await shell.done(
        "trip",
        "stop",
        "add",
        "Lofoten",
        "Hamnøy bridge",
        "--at",
        "67.9443,13.1342",
        "--light",
        "blue_hour",
        "--as",
        "ana"
      )
      try await shell.done("trip", "stop", "add", "Lofoten", "Reine", "--day", "2", "--as", "ana")
      let stops = try await shell.rows("trip", "stop", "list", "Lofoten", "--as", "ana")
      #expect(stops.map { $0["name"] as? String } == ["Hamnøy bridge", "Reine"])
      #expect(stops.map { $0["visit_on"] as? String } == ["2026-02-10", "2026-02-11"])
      #expect(try await shell.rows("trip", "list", "--as", "bea").isEmpty)
      #expect(try await shell.fettle("trip", "show", "Lofoten", "--as", "bea").status == 3)
      let calendar = try await shell.done("trip", "export", "Lofoten", "--as", "ana")
      #expect(calendar.output.hasPrefix("BEGIN:VCALENDAR\r\n"))
      #expect(calendar.output.contains("SUMMARY:Hamnøy bridge"))
      for format in ["geojson", "gpx", "kml"] {
        let map = try await shell.done("trip", "export", "Lofoten", "--format", format, "--as", "ana")
        #expect(map.output.contains("13.1342"))
      }
      try await shell.done("trip", "do", "activate", "Lofoten", "--as", "ana")
      try await shell.done("trip", "copy", "Lofoten", "--title", "Again", "--as", "ana")
      #expect(try await shell.rows("trip", "list", "--as", "ana").count == 2)
      let shared = try await shell.rows("trip", "share", "add", "Lofoten", "--as", "ana")
      let link = try #require(shared[0]["link"] as? String)
      let opened = try await shell.done("trip", "share", "open", "--output", "json", input: "\(link)\n")
      #expect(opened.output.contains("Hamnøy bridge"))
      try await shell.done("trip", "share", "revoke", try #require(shared[0]["id"] as? String), "--as", "ana")
      #expect(try await shell.fettle("trip", "share", "open", input: "\(link)\n").status == 3)
      #expect(try await shell.rows("trip", "share", "list", "--as", "ana")[0]["is_usable"] as? Bool == false)
    }
  }

  @Test func `a chat message becomes a trip through a program of the operator`() async throws {
    try await Shell.open { shell in
      try await shell.makeCompany(["ana": "user"])
      let responder = try shell.file(
        "responder",
        """
        #!/bin/sh
        cat > /dev/null
        echo '{"message":"Here it is.","plan":{"title":"Senja","stops":[{"name":"Ersfjord"}]}}'
        """
      )
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: responder)
      try await shell.done("trip", "chat", "open", "Winter", "--as", "ana")
      try await shell.done("trip", "chat", "say", "Winter", "Somewhere north", "--as", "ana")
      let worker = try shell.begin("work", "--handler", "plan.generate=\(responder)")
      try await until { try await shell.rows("trip", "list", "--as", "ana").count == 1 }
      worker.signal(SIGTERM)
      #expect(try await worker.end().status == 0)
      let messages = try await shell.rows("trip", "chat", "show", "Winter", "--as", "ana")
      #expect(messages.map { $0["author"] as? String } == ["user", "assistant"])
      #expect(messages.map { $0["content"] as? String } == ["Somewhere north", "Here it is."])
      #expect(try await shell.rows("trip", "stop", "list", "Senja", "--as", "ana").count == 1)
      let wrong = try await shell.fettle("work", "--handler", "plan.generate=/nowhere")
      #expect(wrong.status == 6)
    }
  }
}
