import Foundation
import Testing
import WeirAudit
import WeirModel

@testable import WeirReports

/// The page in a browser: it works, at both ends of the range of widths, and nothing in a recording can make it do more.
@Suite(.serialized, .browser) struct HTMLPageTests {
    @Test(arguments: [1280, 390]) func itWorks(width: Int) async throws {
        let page = PageSample.page(PageSample.naive, budget: NetworkBudget(maxRequests: 4))
        let outcome = try await Browser.open(
            page, width: width,
            """
            const rows = () => [...document.querySelectorAll(".row")];
            const shown = () => rows().filter(row => row.getClientRects().length > 0).length;
            const hits = () => rows().filter(row => row.matches(".hit")).map(row => row.dataset.i).join(" ");
            const pins = [...document.querySelectorAll(".finding .pin")];
            const result = { width: innerWidth, rows: rows().length, shown: shown(), pins: pins.length };
            result.overflow = document.documentElement.scrollWidth - innerWidth;
            result.clicks = pins.map(pin => {
              pin.click();
              const isMarked = pin.getAttribute("aria-pressed") === "true"
                && document.querySelectorAll("[aria-pressed=true].pin").length === 1;
              return { wanted: pin.dataset.rows, marked: hits(), isMarked };
            });
            const only = document.querySelector(".only");
            only.click();
            result.onlyThese = shown() === pins.at(-1).dataset.rows.split(" ").length;
            pins.at(-1).click();
            result.cleared = hits() === "" && shown() === 9;
            document.querySelector(".budget .pin").click();
            result.overBudget = hits();
            document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
            result.escaped = hits() === "";
            const search = text => {
              const box = document.querySelector(".q");
              box.value = text;
              box.dispatchEvent(new Event("input"));
              return [shown(), document.querySelector(".said").textContent];
            };
            result.books = search("books");
            result.two = search("GET /me");
            result.none = search("no such thing");
            result.emptyIsSaid = document.querySelector(".empty").getClientRects().length > 0;
            search("");
            const kind = document.querySelector(".by-kind");
            kind.value = "document";
            kind.dispatchEvent(new Event("input"));
            result.documents = shown();
            kind.value = "";
            kind.dispatchEvent(new Event("input"));
            return result;
            """)
        #expect(outcome.console == [])
        let result = outcome.result
        #expect(result["width"] as? Int == width)
        #expect(result["rows"] as? Int == 9 && result["shown"] as? Int == 9)
        #expect(result["overflow"] as? Int == 0)
        let findings = NetworkAudit.Report(records: PageSample.naive).findings
        #expect(findings.count >= 3)
        #expect(result["pins"] as? Int == findings.count)
        let clicks = try #require(result["clicks"] as? [[String: Any]])
        #expect(
            clicks.map { $0["marked"] as? String }
                == findings.map { $0.requests.map(String.init).joined(separator: " ") })
        #expect(
            clicks.allSatisfy { $0["wanted"] as? String == $0["marked"] as? String && $0["isMarked"] as? Bool == true })
        #expect(result["onlyThese"] as? Bool == true)
        #expect(result["cleared"] as? Bool == true)
        #expect(result["overBudget"] as? String == "0 1 2 3 4 5 6 7 8")
        #expect(result["escaped"] as? Bool == true)
        #expect((result["books"] as? [Any])?[0] as? Int == 5)
        #expect((result["books"] as? [Any])?[1] as? String == "5 of 9 requests")
        #expect((result["two"] as? [Any])?[0] as? Int == 2)
        #expect((result["none"] as? [Any])?[0] as? Int == 0)
        #expect(result["emptyIsSaid"] as? Bool == true)
        #expect(result["documents"] as? Int == 1)
    }

    @Test func keysAndDetails() async throws {
        let outcome = try await Browser.open(
            PageSample.page(PageSample.naive), width: 1280,
            """
            const rows = [...document.querySelectorAll(".row")], card = document.getElementById("card");
            const press = key => document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            const result = { tabStops: rows.filter(row => row.tabIndex === 0).length };
            rows[0].focus();
            press("ArrowDown");
            press("ArrowDown");
            result.focus = rows.indexOf(document.activeElement);
            press("Enter");
            result.title = card.querySelector("h3").textContent;
            result.pinned = !card.hidden && card.matches(".pinned");
            result.text = card.textContent;
            press("ArrowDown");
            result.next = card.querySelector("h3").textContent;
            press("Escape");
            result.closed = card.hidden;
            press("End");
            result.end = rows.indexOf(document.activeElement);
            press("/");
            result.searching = document.activeElement.matches(".q");
            rows[1].dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 300, clientY: 300 }));
            result.hover = card.hidden ? "" : card.querySelector("h3").textContent;
            document.querySelector(".path").click();
            result.path = rows.filter(row => !row.hidden).map(row => row.dataset.i).join(" ");
            return result;
            """)
        #expect(outcome.console == [])
        let result = outcome.result
        #expect(result["tabStops"] as? Int == 1)
        #expect(result["focus"] as? Int == 2)
        #expect(result["title"] as? String == "#3 GET /books/1")
        #expect(result["pinned"] as? Bool == true)
        let text = try #require(result["text"] as? String)
        #expect(text.contains("$[0].bookID of #2 is the last path segment of #3"))
        #expect(text.contains("waiting40 ms") && text.contains("h2") && text.contains("application/json"))
        #expect(result["next"] as? String == "#4 GET /books/2")
        #expect(result["closed"] as? Bool == true)
        #expect(result["end"] as? Int == 8)
        #expect(result["searching"] as? Bool == true)
        #expect(result["hover"] as? String == "#2 GET /loans")
        let path = try #require(NetworkAudit.Report(records: PageSample.naive).criticalPath)
        #expect(path.length == 2)
        #expect(result["path"] as? String == path.steps.map { String($0.index) }.joined(separator: " "))
    }

    @Test func lanesAndZoom() async throws {
        let outcome = try await Browser.open(
            PageSample.page(PageSample.naive), width: 1280,
            """
            document.querySelector(".bylane").click();
            const lanes = [...document.querySelectorAll(".lane")];
            const result = { lanes: lanes.map(lane => lane.querySelectorAll("g").length), text: lanes[0].textContent };
            result.rowsHidden = document.querySelector(".rows").getClientRects().length === 0;
            document.querySelector(".finding .pin").click();
            result.hits = document.querySelectorAll(".lanes g.hit").length;
            const press = key => document.activeElement.dispatchEvent(
              new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            document.querySelector(".lanes g[tabindex='0']").focus();
            press("ArrowRight");
            press("Enter");
            result.card = document.querySelector("#card h3").textContent;
            press("ArrowRight");
            result.next = document.querySelector("#card h3").textContent;
            press("Escape");
            result.closed = document.getElementById("card").hidden;
            document.querySelector(".byrequest").click();
            document.querySelector(".in").click();
            const box = () => document.querySelector(".row .bar").getAttribute("viewBox").split(" ").map(Number);
            const wall = Number(document.querySelector(".unit").dataset.w);
            result.zoomed = Math.abs(box()[0] - wall / 4) < 0.01 && Math.abs(box()[2] - wall / 2) < 0.01;
            document.querySelector(".fit").click();
            result.whole = box()[0] === 0 && box()[2] === wall;
            result.ticks = document.querySelectorAll(".ruler text").length;
            return result;
            """)
        #expect(outcome.console == [])
        #expect(outcome.result["lanes"] as? [Int] == [7, 2])
        #expect((outcome.result["text"] as? String)?.contains("api.example.com · h2 · 7 exchanges") == true)
        #expect(outcome.result["rowsHidden"] as? Bool == true)
        let first = try #require(NetworkAudit.Report(records: PageSample.naive).findings.first)
        #expect(outcome.result["hits"] as? Int == first.requests.count)
        #expect(outcome.result["card"] as? String == "#2 GET /loans")
        #expect(outcome.result["next"] as? String == "#3 GET /books/1")
        #expect(outcome.result["closed"] as? Bool == true)
        #expect(outcome.result["zoomed"] as? Bool == true)
        #expect(outcome.result["whole"] as? Bool == true)
        #expect(outcome.result["ticks"] as? Int ?? 0 >= 3)
    }

    @Test(arguments: [1280, 390]) func fifteenHundredRequests(width: Int) async throws {
        let outcome = try await Browser.open(
            PageSample.largePage, width: width,
            """
            const result = { rows: document.querySelectorAll(".row").length };
            result.overflow = document.documentElement.scrollWidth - innerWidth;
            const begin = performance.now();
            const box = document.querySelector(".q");
            box.value = "items/77";
            box.dispatchEvent(new Event("input"));
            result.found = [...document.querySelectorAll(".row")].filter(row => !row.hidden).length;
            box.value = "";
            box.dispatchEvent(new Event("input"));
            document.querySelector(".bylane").click();
            result.pieces = document.querySelectorAll(".lanes g").length;
            document.querySelector(".in").click();
            result.laneOverflow = document.documentElement.scrollWidth - innerWidth;
            result.milliseconds = performance.now() - begin;
            return result;
            """)
        #expect(outcome.console == [])
        #expect(outcome.result["rows"] as? Int == 1_500)
        #expect(outcome.result["overflow"] as? Int == 0 && outcome.result["laneOverflow"] as? Int == 0)
        #expect(outcome.result["found"] as? Int == 11)
        #expect(outcome.result["pieces"] as? Int == 1_500)
        #expect(try #require(outcome.result["milliseconds"] as? Double) < 5_000)
    }

    @Test(arguments: [1280, 390]) func nothingInARecordingIsMoreThanText(width: Int) async throws {
        let page = PageSample.page(PageSample.hostile, name: PageSample.attacks.joined())
        let outcome = try await Browser.open(
            page, width: width,
            """
            const rows = [...document.querySelectorAll(".row")];
            for (const row of rows) row.click();
            document.querySelector(".bylane").click();
            for (const pin of document.querySelectorAll(".pin")) pin.click();
            await new Promise(done => setTimeout(done, 100));
            return {
              rows: rows.length, pwned: window.pwned === undefined ? "no" : "yes",
              scripts: document.scripts.length, images: document.images.length,
              foreign: document.querySelectorAll("b[onload], svg[onload], [onerror], style ~ style").length,
              overflow: document.documentElement.scrollWidth - innerWidth,
              text: rows.at(-12).textContent, title: document.title,
            };
            """)
        #expect(outcome.console == [])
        #expect(outcome.result["rows"] as? Int == PageSample.hostile.count)
        #expect(outcome.result["pwned"] as? String == "no")
        // The data, the page's script and the test's.
        #expect(outcome.result["scripts"] as? Int == 3)
        #expect(outcome.result["images"] as? Int == 0)
        #expect(outcome.result["foreign"] as? Int == 0)
        #expect(outcome.result["overflow"] as? Int == 0)
        #expect((outcome.result["title"] as? String)?.hasPrefix("</script><script>window.pwned") == true)
    }

    @Test func theNetworkIsOutOfReach() async throws {
        let outcome = try await Browser.open(
            PageSample.page(PageSample.naive), width: 1280,
            """
            const refused = [];
            document.addEventListener("securitypolicyviolation", event => refused.push(event.effectiveDirective));
            const address = "http://127.0.0.1:9/";
            new Image().src = address;
            const frame = document.createElement("iframe");
            frame.src = address;
            document.body.append(frame);
            const link = document.createElement("link");
            link.rel = "stylesheet";
            link.href = address;
            document.head.append(link);
            const script = document.createElement("script");
            script.src = address;
            document.body.append(script);
            const inline = document.createElement("script");
            inline.textContent = "window.pwned = 1";
            document.body.append(inline);
            const fetched = await fetch(address).then(() => "yes", () => "no");
            const sent = navigator.sendBeacon(address, "x");
            await new Promise(done => setTimeout(done, 500));
            return { refused, fetched, pwned: window.pwned === undefined ? "no" : "yes",
              loaded: performance.getEntriesByType("resource").filter(entry => entry.transferSize > 0).length };
            """)
        let refused = Set(try #require(outcome.result["refused"] as? [String]))
        #expect(
            refused.isSuperset(of: ["img-src", "frame-src", "style-src-elem", "script-src-elem", "connect-src"]),
            "\(refused)")
        #expect(outcome.result["fetched"] as? String == "no")
        #expect(outcome.result["pwned"] as? String == "no")
        #expect(outcome.result["loaded"] as? Int == 0)
    }
}
