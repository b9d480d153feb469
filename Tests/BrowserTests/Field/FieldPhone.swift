import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// The field app in a browser of a phone's size, as its person uses it.
struct FieldPhone: Sendable {
  let browser: Browser
  /// The address of the server, as the phone reaches it.
  let base: String

  init(_ browser: Browser, base: String) async throws {
    self.browser = browser
    self.base = base
    if browser.isChromium { try await browser.view(width: 360, height: 740, isPhone: true) }
  }

  /// Opens the app, and waits until it is drawn.
  func open(_ path: String = "/app/") async throws {
    try await browser.open("\(base)\(path)")
    try await browser.wait(for: "the app") { try await !browser.heading.isEmpty }
  }

  /// Opens the app for the first time, signs in, and waits until the phone has everything, the app included.
  func signIn(_ person: BrowserShop.Person) async throws {
    try await open()
    try await browser.field("E-mail address").type(person.email)
    try await browser.field("Password").type(person.password)
    try await submit()
    try await synchronised()
    try await browser.executeWaiting("navigator.serviceWorker.ready.then(() => arguments[0](true))")
  }

  /// Waits until everything is sent and read.
  func synchronised() async throws {
    try await browser.wait(for: "that all is sent") { try await browser.text.contains("All sent") }
  }

  /// Asks to send now, and waits until nothing waits.
  func send() async throws {
    try await tab("Outbox")
    try await browser.wait(for: "an empty outbox") {
      let text = try await browser.text
      if text.contains("Everything is sent.") { return true }
      // A form that was just saved leads to its record, whatever was tapped meanwhile.
      if text.contains("Saved on this phone") { _ = try? await browser.find("#nav").click("Outbox") }
      _ = try? await browser.find("#send:not([disabled])").click()
      return false
    }
  }

  /// Waits until everything is sent, or the session has ended with the power; then the person signs in again.
  func signInIfNeeded(_ person: BrowserShop.Person) async throws {
    try await tab("Outbox")
    try await browser.wait(for: "a decision of the server") {
      let text = try await browser.text
      if text.contains("Everything is sent.") || text.contains("Signed out. Work on") { return true }
      _ = try? await browser.find("#send:not([disabled])").click()
      return false
    }
    guard try await browser.text.contains("Signed out. Work on") else { return }
    try await press("Sign in again")
    try await browser.shows("everything you wrote is kept on this phone")
    #expect(try await browser.field("E-mail address").value == person.email)
    try await browser.wait(for: "the heading \"Today\"") {
      if try await browser.heading == "Today" { return true }
      // A screen that is drawn again while somebody types is empty.
      guard let password = try await browser.all("input[name=password]").first,
        try await password.value.isEmpty
      else { return false }
      try await password.type(person.password)
      try await browser.find("main form button[type=submit]").click()
      return false
    }
  }

  /// The names of the databases of accounts, and of their copies.
  func accountStores() async throws -> [String] {
    let names = try await browser.executeWaiting(
      """
      const done = arguments[0]
      navigator.storageBuckets.open('copy').then(async bucket => {
        const all = [...await indexedDB.databases(), ...await bucket.indexedDB.databases()]
        done(all.map(one => one.name).filter(name => name !== 'fettle'))
      })
      """
    )
    return (names.array ?? []).compactMap(\.string)
  }

  /// Clicks the link or button with these words, in the middle of the screen: the bar at the lower edge covers no finger.
  func press(_ words: String) async throws {
    try await press { try await browser.pressable(words) }
  }

  /// Sends the form that is shown.
  func submit() async throws {
    try await press { try await browser.find("main form button[type=submit]") }
  }

  /// Clicks the element of a selector.
  func press(at selector: String) async throws {
    try await press { try await browser.find(selector) }
  }

  private func press(_ found: () async throws -> Element) async throws {
    try await browser.wait(for: "something to press") {
      let element = try await found()
      try await browser.execute(
        "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})",
        element.root
      )
      try await element.click()
      return true
    }
  }

  /// Goes to one of the five places at the lower edge.
  func tab(_ name: String) async throws {
    try await browser.find("#nav").click(name)
    try await browser.waitForHeading(name == "Report" ? "Report a problem" : name)
  }

  /// Makes pictures for the field of photos, by the canvas of the page.
  func photograph(width: Int = 800, height: Int = 600) async throws {
    try await browser.executeWaiting(
      """
      const [width, height, done] = arguments
      const canvas = document.createElement('canvas')
      Object.assign(canvas, {width, height})
      const context = canvas.getContext('2d')
      for (let i = 0; i < 400; i++) {
        context.fillStyle = `hsl(${Math.random() * 360} 60% 50%)`
        context.fillRect(Math.random() * width, Math.random() * height, width / 8, height / 8)
      }
      canvas.toBlob(blob => {
        const files = new DataTransfer()
        files.items.add(new File([blob], 'photo.jpg', {type: 'image/jpeg'}))
        const input = document.getElementById('photo')
        input.files = files.files
        input.dispatchEvent(new Event('change', {bubbles: true}))
        done(true)
      }, 'image/jpeg', 0.9)
      """,
      .integer(width),
      .integer(height)
    )
  }

  /// Reports a problem of a machine, and waits until the app says that it is saved.
  ///
  /// - Returns: the path of the new record's screen.
  @discardableResult
  func report(_ words: String, photos: Int = 0) async throws -> String {
    try await tab("Report")
    try await browser.field("Machine").select("RM-001 Road marker")
    try await browser.field("What is wrong?").type(words)
    try await browser.field("Category").select("Hydraulics")
    for number in 0..<photos {
      try await photograph()
      try await browser.wait(for: "a photo") { try await browser.all(".thumb img").count == number + 1 }
    }
    try await press("Save the report")
    try await browser.shows("Saved on this phone")
    return try await browser.path
  }

  /// Starts and completes the work that is shown, with a note.
  func complete(_ note: String) async throws {
    try await press("Start")
    try await browser.shows("In progress")
    try await press("Complete")
    try await browser.field("Completion note").type(note)
    try await submit()
    try await browser.shows("Completed")
  }

  /// Adds a photo to the record that is shown.
  func addPhoto() async throws {
    let before = try await browser.all("figure.photo").count
    try await photograph()
    try await browser.wait(for: "another photo") {
      try await browser.all("figure.photo").count == before + 1
    }
  }

  /// Logs hours of the day before yesterday on the work that is shown: hours to come are refused.
  func logHours(_ from: String, _ to: String) async throws {
    try await press("Log hours")
    let day = Date(timeIntervalSinceNow: -172_800).ISO8601Format().prefix(10)
    try await browser.find("#f-work_date").set(String(day))
    try await browser.find("#f-start_time").set(from)
    try await browser.find("#f-end_time").set(to)
    try await submit()
    // What was said before may be there still.
    try await browser.wait(for: "the form to be done") { try await browser.all("#f-work_date").isEmpty }
    try await browser.shows("Saved on this phone")
  }

  /// Runs a script with a module of the app as `app` and its address as `place`; it ends with a call of `done`.
  func evaluate(_ module: String, _ script: String) async throws -> JSONValue {
    try await browser.executeWaiting(
      """
      const [name, done] = arguments
      const place = new URL(name, document.querySelector('script[type=module]').src).href
      import(place).then(app => { \(script) }).catch(error => done(String(error)))
      """,
      .string(module)
    )
  }

  /// Reads the store of the app: the queue of changes of a person, or of the only one.
  func queue(of person: BrowserShop.Person? = nil) async throws -> [JSONValue] {
    try await browser.executeWaiting(
      """
      const [email, done] = arguments
      const read = (name, store, then) => {
        const request = indexedDB.open(name)
        request.onsuccess = () => {
          const all = request.result.transaction([store]).objectStore(store).getAll()
          all.onsuccess = () => { request.result.close(); then(all.result) }
        }
      }
      read('fettle', 'account', all => {
        const account = all.find(one => one.email === email) ?? all[0]
        read(`fettle ${account.key}`, 'mutation', done)
      })
      """,
      person.map { .string($0.email) } ?? .null
    ).array ?? []
  }
}

extension BrowserShop {
  /// Returns a technician of the workshop, whom other tests use too: few people can sign up in an hour.
  func fieldPerson() async throws -> Person { try await FieldPeople.shared.next(self) }

  /// Makes a member of the workshop for a test that ends sessions, changes rights, or tells people apart.
  func ownFieldPerson(_ role: String = "user") async throws -> Person {
    try await member("F\(UUID().uuidString.prefix(8)) Ek", role: role, of: workshop)
  }

  /// The entries of the workshop whose description begins with a word.
  func entries(_ word: String) async throws -> [JSONValue] {
    let answer = try await get("/v1/maintenance/entry?q=\(word)&limit=100", as: workshop.owner)
    return answer["items"]?.array ?? []
  }

  /// What has happened to an entry, oldest first, as its transitions or kinds.
  func story(of entry: JSONValue) async throws -> [String] {
    let id = entry["id"]?.string ?? ""
    let items =
      try await get("/v1/maintenance/entry/\(id)/history?limit=100", as: workshop.owner)["items"]?.array ?? []
    return items.sorted { ($0["seq"]?.integer ?? 0) < ($1["seq"]?.integer ?? 0) }
      .map { $0["transition"]?.string ?? $0["kind"]?.string ?? "" }
  }

  /// The files of an entry whose bytes have arrived.
  func photos(of entry: JSONValue) async throws -> [JSONValue] {
    let id = entry["id"]?.string ?? ""
    let answer = try await get("/v1/maintenance/entry/\(id)/files", as: workshop.owner)
    return (answer["items"]?.array ?? []).filter { $0["state"]?.string != "awaited" }
  }
}

/// Technicians whom the tests use in turn.
private actor FieldPeople {
  static let shared = FieldPeople()

  private var people: [Task<BrowserShop.Person, any Error>] = []
  private var turn = 0

  func next(_ shop: BrowserShop) async throws -> BrowserShop.Person {
    if people.count < 4 { people.append(Task { try await shop.ownFieldPerson() }) }
    turn += 1
    return try await people[turn % people.count].value
  }
}
