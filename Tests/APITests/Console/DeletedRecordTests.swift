import API
import Domain
import Engine
import EngineFixtures
import FoundationEssentials
import Store
import Testing

/// What was taken away by a page comes back by a page, and what cannot come back is asked for first.
@Suite(.timeLimit(.minutes(60))) struct DeletedRecordTests {
  @Test func `a deleted record is in a list, and its page restores it for those who may`() async throws {
    let console = try await ConsoleFixture.open()
    let entry = try await console.shop.entry("admin", ["description": "Hose leaks"])
    let path = console.at("/maintenance/entry/\(entry.text)")
    var admin = try await console.browser("admin")
    try await admin.open(path + "/delete")
    let list = try await admin.send("/delete", ["comment": "Reported twice"])
    let deleted = try #require(list.links.first { $0.hasSuffix("/maintenance/entry/deleted") })
    let all = try await admin.open(deleted)
    #expect(all.heading == "Deleted records: work orders" && all.links.contains(path), "\(all.plain)")
    let page = try await admin.open(path)
    #expect(page.plain.contains("It is deleted") && page.plain.contains("Reported twice"), "\(page.plain)")
    #expect(page.plain.contains("Hose leaks"))
    var viewer = try await console.browser("viewer")
    #expect(try await viewer.open(path).status == 404)
    #expect(try await viewer.open(deleted).status == 403)
    #expect(try await !viewer.open(console.at("/maintenance/entry")).links.contains(deleted))
    let form = try #require(page.form("/restore"))
    #expect(try await viewer.post(form.action, form.fields.filter { $0.name == "version" }).status == 403)
    let restored = try await admin.send("/restore")
    #expect(restored.path == path && restored.heading.hasPrefix("Work order WO-"), "\(restored.plain)")
    #expect(try await viewer.open(path).status == 200)
    // Sent again, it changes nothing and says so on a page with a way on.
    #expect(try await admin.post(form.action, form.fields).status == 200)
    #expect(try await !admin.open(deleted).links.contains(path))
  }

  @Test func `a transition into a final state is asked for first`() async throws {
    let console = try await ConsoleFixture.open()
    var admin = try await console.browser("admin")
    let machine = console.at("/maintenance/machine/\(console.shop.machine.text)")
    let page = try await admin.open(machine)
    #expect(page.form("/do/retire") == nil)
    let question = try await admin.open(try #require(page.links.first { $0.hasSuffix("/do/retire") }))
    #expect(question.plain.contains("nothing leads out of “Retired”"), "\(question.plain)")
    #expect(try await admin.open(machine).plain.contains("Active"))
    try await admin.open(machine + "/do/retire")
    #expect(try await admin.send("/do/retire").plain.contains("Retired"))
  }

  @Test func `the removal of a member is asked for first`() async throws {
    let console = try await ConsoleFixture.open()
    var owner = try await console.browser("owner")
    let page = try await owner.open(console.at("/people"))
    #expect(page.plain.contains("Member viewer leaves the company"), "\(page.plain)")
    let viewer = try #require(console.shop.members["viewer"])
    let form = try #require(page.form("/people/\(viewer.userID.text)/remove"))
    #expect(try await !owner.post(form.action, form.fields).plain.contains("Member viewer"))
  }

  @Test func `a file is removed by those who may edit the record`() async throws {
    try await FileShop.open { files in
      _ = try await files.add(FileShop.fakePhoto(100), "pump.jpg")
      let console = try await ConsoleFixture.open(files.shop, services: files.services)
      let machine = console.at("/maintenance/machine/\(files.shop.machine.text)")
      var viewer = try await console.browser("viewer")
      #expect(try await viewer.open(machine).form("/remove") == nil)
      var admin = try await console.browser("admin")
      #expect(try await admin.open(machine).plain.contains("The file leaves the record."))
      let page = try await admin.send("/remove")
      #expect(page.path == machine && page.plain.contains("No files yet."), "\(page.plain)")
      #expect(page.plain.contains("Files: pump.jpg → nothing"), "\(page.plain)")
    }
  }
}
