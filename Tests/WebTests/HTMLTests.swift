import Domain
import Testing
import Web

@Suite struct HTMLTests {
  @Test func `values are escaped in text and in attributes`() {
    let value = "<script>alert('1')</script> \"quoted\" & more"
    let html: HTML = "<p title=\"\(value)\">\(value)</p>"
    let escaped = "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot;quoted&quot; &amp; more"
    #expect(html.text == "<p title=\"\(escaped)\">\(escaped)</p>")
  }

  @Test func `pieces nest unescaped, and a person's own text is isolated`() {
    let inner: HTML = "<b>\("a<b")</b>"
    let html: HTML = "<p>\(inner)\([inner, inner])\(own: "\u{202E}abc")</p>"
    #expect(html.text == "<p><b>a&lt;b</b><b>a&lt;b</b><b>a&lt;b</b><bdi>\u{202E}abc</bdi></p>")
  }

  @Test func `control characters become replacements, lines stay`() {
    let html: HTML = "\("a\u{0}b\u{1B}[31m\nc\td\u{7F}")"
    #expect(html.text == "a\u{FFFD}b\u{FFFD}[31m\nc\td\u{FFFD}")
  }

  @Test func `an attribute without a value is there or not`() {
    let on: HTML = "<input\(flag: "checked", if: true)>"
    let off: HTML = "<input\(flag: "checked", if: false)>"
    #expect(on.text == "<input checked>")
    #expect(off.text == "<input>")
  }

  @Test func `places are percent-encoded once`() {
    let place = Place(["c", "acme", "a b/c"], query: [("q", "å&=?#"), ("x", "")], fragment: "files")
    #expect(place.text == "/c/acme/a%20b%2Fc?q=%C3%A5%26%3D%3F%23&x=#files")
    #expect(Place([]).text == "/")
    let link: HTML = "<a href=\"\(link: Place(["a"], query: [("b", "1"), ("c", "2")]))\">x</a>"
    #expect(link.text == "<a href=\"/a?b=1&amp;c=2\">x</a>")
  }

  @Test(
    arguments: [
      "//evil.example", "/\\evil.example", "https://evil.example", "evil", "", "/v1/me",
      "/a\r\nset-cookie: x",
      "/a b", "javascript:alert(1)",
    ]
  )
  func `a sign-in leads to pages of this server only`(_ text: String) {
    #expect(Place(returning: text) == nil)
  }

  @Test func `a sign-in leads back to a page with its query`() {
    #expect(Place(returning: "/c/acme/x?q=1%20a")?.text == "/c/acme/x?q=1%20a")
  }
}
