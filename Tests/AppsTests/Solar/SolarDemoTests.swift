import Apps
import Demo
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Postgres
import Store
import TestDatabase
import Testing

/// Demo data of the solar app.
@Suite(.serialized, .timeLimit(.minutes(60))) struct SolarDemoTests {
  @Test func `the small scale has the rows that were promised`() async throws {
    try await DemoHouse.loaded(["solar"]) { engine in
      #expect(try await DemoHouse.count(engine, "solar.site") == 2)
      #expect(try await DemoHouse.count(engine, "solar.recording") == 40)
      let samples = try await DemoHouse.count(engine, "solar.sample")
      #expect((1_440..<2 * 1_440).contains(samples), "a day at a minute each, less five gaps: \(samples)")
      let night = try await DemoHouse.count(engine, "solar.sample where inverter_kw = 0")
      #expect(night > 0 && night < samples)
    }
  }

  @Test func `as many days of samples are made as are asked for`() async throws {
    let engine = try await EngineFixture.open(TestDatabase.make())
    var request = try DemoHouse.request(["solar"])
    request.sampleDays = 2
    let made = try await DemoHouse.load(engine, request).samples
    #expect((2 * 2_300..<2 * 2 * 1_440).contains(made), "two sites, a minute each, less five gaps: \(made)")
    #expect(try await DemoHouse.count(engine, "solar.sample") == made)
    #expect(try await DemoHouse.load(engine, request).samples == 0)
    await engine.close()
  }

  @Test func `a guest finds a roof with the samples of yesterday`() async throws {
    try await DemoHouse.visiting { engine, company, _ in
      let samples = try await engine.superuser.value(
        "select count(*) from solar.sample s where s.company_id = \(company.id)",
        as: Int.self
      )
      #expect(samples >= 288)
    }
  }
}
