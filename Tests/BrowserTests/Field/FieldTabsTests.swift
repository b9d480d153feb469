import BrowserFixtures
import Foundation
import TestTools
import Testing
import Values

/// Several tabs, several people and several builds on one phone.
@Suite(.timeLimit(.minutes(60))) struct FieldTabsTests {
  @Test func `two tabs of one account send each change once, and both show the result`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Tabs\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      let first = try await browser.openTab()
      try await browser.view(width: 360, height: 740, isPhone: true)
      try await phone.open()
      try await phone.report("\(word) second tab")
      let second = try await browser.window
      try await browser.use(first)
      try await phone.report("\(word) first tab")
      // Numbers are given in one transaction each, whichever tab saves.
      #expect(try await phone.queue().compactMap { $0["no"]?.integer } == [1, 2])
      proxy.mode = .open
      try await browser.use(second)
      try await browser.execute("dispatchEvent(new Event('online'))")
      try await browser.use(first)
      try await browser.execute("dispatchEvent(new Event('online'))")
      try await phone.send()
      try await browser.use(second)
      try await phone.synchronised()
    }
    #expect(try await shop.entries(word).count == 2)
  }

  @Test func `two people share a phone, and neither sees or sends the other's work`() async throws {
    let shop = try await BrowserShop.shared()
    let (one, two) = (try await shop.ownFieldPerson(), try await shop.ownFieldPerson())
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Share\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(one)
      try await phone.tab("More")
      try await phone.press("Somebody else signs in")
      try await browser.waitForHeading("Sign in")
      try await browser.field("E-mail address").type(two.email)
      try await browser.field("Password").type(two.password)
      try await phone.submit()
      try await browser.waitForHeading("Today")
      try await phone.synchronised()
      proxy.mode = .closed
      try await phone.report("\(word) of the second")
      try await phone.tab("More")
      try await phone.press(one.name)
      try await browser.waitForHeading("Today")
      #expect(try await !browser.text.contains(word))
      try await phone.report("\(word) of the first")
      proxy.mode = .open
      try await phone.send()
      // Only the work of the person who uses the phone was sent.
      #expect(try await shop.entries(word).compactMap { $0["created_by_name"]?.string } == [one.name])
      try await phone.tab("More")
      try await phone.press(two.name)
      try await browser.waitForHeading("Today")
      try await phone.send()
    }
    let names = try await shop.entries(word).compactMap { $0["created_by_name"]?.string }
    #expect(names.sorted() == [one.name, two.name].sorted())
  }

  @Test func `a session that ended offline stops the sending and nothing else, and a new sign-in goes on`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.ownFieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Ended\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.report("\(word) 1")
      let sessions = try await shop.get("/v1/me/sessions", as: person)["items"]?.array ?? []
      for session in sessions where session["kind"]?.string == "mobile" {
        let id = session["id"]?.string ?? ""
        #expect(try await shop.delete("/v1/me/sessions/\(id)", as: person) == 204)
      }
      proxy.mode = .open
      try await phone.tab("Outbox")
      try await phone.press(at: "#send:not([disabled])")
      try await browser.shows("Signed out. Work on, it is sent later.")
      try await phone.report("\(word) 2")
      try await phone.press("Sign in again")
      try await browser.shows("everything you wrote is kept on this phone")
      #expect(try await browser.field("E-mail address").value == person.email)
      try await browser.field("Password").type(person.password)
      try await phone.submit()
      try await browser.waitForHeading("Today")
      try await phone.send()
    }
    #expect(try await shop.entries(word).count == 2)
  }

  @Test func `a sign-out with work that waits offers to send it, and leaves nothing behind`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    let proxy = try TCPProxy(to: shop.port)
    defer { proxy.stop() }
    let word = "Leave\(UUID().uuidString.prefix(6))"
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: "http://127.0.0.1:\(proxy.port)")
      try await phone.signIn(person)
      proxy.mode = .closed
      try await phone.report(word)
      try await phone.tab("More")
      try await phone.press("Sign out")
      try await browser.shows("One thing was not sent yet. Signing out would lose it.")
      #expect(try await !browser.offers("Sign out and delete it here"))
      proxy.mode = .open
      // The phone may have sent it by itself already.
      try await browser.wait(for: "that nothing waits") {
        if try await browser.text.contains("Everything is on the server.") { return true }
        try await browser.execute(
          "[...document.querySelectorAll('button')].find(one => one.textContent === 'Send now')?.click()"
        )
        return false
      }
      try await phone.press("Sign out")
      try await browser.waitForHeading("Sign in")
      #expect(try await phone.accountStores().isEmpty)
    }
    #expect(try await shop.entries(word).count == 1)
  }

  @Test func `answers that arrive after a sign-out bring nothing back, and other tabs ask to sign in`()
    async throws
  {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      let first = try await browser.openTab()
      try await browser.view(width: 360, height: 740, isPhone: true)
      try await phone.open()
      let second = try await browser.window
      try await browser.use(first)
      try await browser.execute(
        """
        const send = fetch
        const held = []
        window.fetch = (...all) => /sync.(changes|exchange)/.test(all[0])
          ? send(...all).then(answer => new Promise(resolve => held.push(() => resolve(answer)))) : send(...all)
        window.release = () => { window.fetch = send; held.forEach(one => one()) }
        window.holds = () => held.length
        """
      )
      let entry = ["entry", "add", "Leaks", "--machine", "RM-001", "--category", "Hydraulics"]
      _ = try await shop.fettle(entry + ["--as", person.email])
      try await browser.execute("dispatchEvent(new Event('online'))")
      try await browser.wait(for: "an answer") {
        (try await browser.execute("return holds()").integer ?? 0) > 0
      }
      try await phone.tab("More")
      try await phone.press("Sign out")
      try await phone.press("Sign out")
      try await browser.waitForHeading("Sign in")
      try await browser.execute("release()")
      try await Task.sleep(for: .seconds(2))
      #expect(try await phone.accountStores().isEmpty)
      try await browser.use(second)
      try await browser.waitForHeading("Sign in")
      try await phone.open()
      try await browser.waitForHeading("Sign in")
      #expect(try await phone.accountStores().isEmpty)
      #expect(try await !browser.text.contains(person.name), "nobody is offered")
    }
  }

  @Test func `a deleted store is not made again by its page or another one`() async throws {
    let shop = try await BrowserShop.shared()
    try await Browser.open { browser in
      try await FieldPhone(browser, base: shop.base).open()
      let said = try await browser.executeWaiting(
        """
        const done = arguments[0]
        const write = database => database.run(['rows'], 'readwrite', all => { all.objectStore('rows').put(1, 'a') })
          .then(() => 'written', error => error.name)
        import(document.querySelector('script[type=module]').src.replace(/[^/]*$/, 'idb.js')).then(async idb => {
          const make = () => new idb.Database('fettle trial', 1, all => { all.createObjectStore('rows') }, {})
          const [one, other] = [make(), make()]
          const said = [await write(one), await write(other)]
          await one.destroy()
          said.push(await write(one), await write(other))
          const left = (await indexedDB.databases()).filter(({ name }) => name === 'fettle trial').length
          done([...said, `${left} left`])
        })
        """
      )
      let words = said.array?.compactMap(\.string)
      #expect(words == ["written", "written", "AbortError", "AbortError", "0 left"])
    }
  }

  @Test func `a sign-out that cannot delete everything says so, and can be repeated`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      try await phone.tab("More")
      try await phone.press("Sign out")
      try await browser.execute(
        "IDBFactory.prototype.deleteDatabase = () => { throw new DOMException('in use', 'UnknownError') }"
      )
      try await phone.press("Sign out")
      try await browser.shows("Something of this account is still on the phone.")
      try await browser.open("\(shop.base)/app/")
      try await phone.tab("More")
      try await browser.shows(person.email)
      try await phone.press("Sign out")
      try await phone.press("Sign out")
      try await browser.waitForHeading("Sign in")
      try await browser.open("\(shop.base)/app/")
      try await browser.waitForHeading("Sign in")
    }
  }

  /// A link that is replaced while a finger is on it is not followed.
  @Test func `the links at the lower edge stay while the phone sends`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      let stayed = try await browser.executeWaiting(
        """
        const done = arguments[0]
        const links = [...document.querySelectorAll('#nav a')]
        dispatchEvent(new Event('online'))
        setTimeout(() => done(links.length > 3 && links.every(link => link.isConnected)), 2000)
        """
      )
      #expect(stayed.bool == true)
    }
  }

  /// A row that is replaced while a finger is on it is not opened.
  @Test func `what a finger is on stays until it is released, and is drawn again then`() async throws {
    let shop = try await BrowserShop.shared()
    let person = try await shop.fieldPerson()
    try await Browser.open { browser in
      let phone = try await FieldPhone(browser, base: shop.base)
      try await phone.signIn(person)
      try await phone.tab("Machines")
      let seen = try await browser.executeWaiting(
        """
        const done = arguments[0]
        const row = document.querySelector('#main a[href^="/app/m/"]')
        const press = (name) => row.dispatchEvent(new PointerEvent(name, { bubbles: true, isPrimary: true }))
        const wait = (time) => new Promise(resolve => setTimeout(resolve, time))
        press('pointerdown')
        indexedDB.databases().then(async all => {
          const stores = all.map(one => one.name).filter(name => name.startsWith('fettle '))
          for (const name of stores) new BroadcastChannel(name).postMessage('changed')
          await wait(2000)
          const stayed = row.isConnected
          press('pointerup')
          await wait(2000)
          done([stayed, row.isConnected])
        })
        """
      )
      #expect(seen.array == [true, false], "held, and drawn again after the release")
    }
  }
}
