"""What stands behind the parts that are tested here: a page that answers, and a stream that says what it hears."""

from starlette.responses import PlainTextResponse


async def page(_):
    return PlainTextResponse("page")


async def stream(socket):
    await socket.accept()
    async for sent in socket.iter_bytes():
        await socket.send_bytes(sent)
